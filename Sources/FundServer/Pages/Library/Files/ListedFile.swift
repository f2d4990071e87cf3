internal import FundCore

/// The values of a row beside the name of a file: who mailed it under which subject, and its other versions. Values that
/// are not there are said to be absent: a name that is missing is looked up in what stands around.
struct ListedFile {
    /// Older versions that are named; the page of the file has the others by its neighbours.
    private static let maxOlder = 20

    let model: PageModel

    /// - Parameter fields: of the query of each file's address.
    init(_ row: PlaceRow, _ fields: [(name: String, value: String?)], _ call: PageCall) {
        let sender = row.email.map { $0.from ?? call.words("mail.nosender") }
        model = [
            "sender": sender.map { .text($0) } ?? PageValue.flag(false),
            "subject": row.email.map { .text(call.words.subject($0.subject)) } ?? PageValue.flag(false),
            "versions": row.versions.map { .model(Self.model($0, fields, call)) } ?? PageValue.flag(false),
            "isOlder": row.versions.map { !$0.isLatest } ?? false,
        ]
    }

    private static func model(
        _ versions: FileVersions, _ fields: [(name: String, value: String?)], _ call: PageCall
    ) -> PageModel {
        let older = versions.isLatest ? versions.files.dropFirst().prefix(maxOlder) : []
        return [
            "versionCount": "\(versions.files.count)", "versionNumber": "\(versions.number)",
            "isLatest": versions.isLatest, "isOneContent": versions.isOneContent,
            "older": older.map { file -> PageModel in
                [
                    "name": file.name, "address": "/library/files/\(file.id)" + PageQueryText.text(fields),
                    "size": call.formats.size(file.size), "time": call.formats.time(file.createdAt),
                ]
            },
        ]
    }
}
