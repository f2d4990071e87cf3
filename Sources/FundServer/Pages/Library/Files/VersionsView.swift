internal import FundCore

/// The versions of a file as one row of a list shows them: the latest stands for all, and the others unfold.
enum VersionsView {
    /// For the template `versions`. Values that are not there are said to be absent: a name that is missing is looked
    /// up in the row.
    /// - Parameters:
    ///   - list: the list beside which each is opened.
    ///   - isChosen: whether all files are to be chosen.
    static func model(
        _ versions: FileVersions, in list: ShownList, isChosen: Bool, _ call: PageCall
    ) -> PageModel {
        let count = versions.files.count
        return [
            "number": "\(count)", "keys": versions.older.map { "file-\($0.id)" }.joined(separator: " "),
            "summary": call.words(versions.isOneContent ? "versions.same" : "versions.count", "\(count)"),
            "older": versions.older.enumerated().map { index, file -> PageModel in
                [
                    "key": "file-\(file.id)", "name": file.name, "number": "\(count - 1 - index)",
                    "address": list.link(to: .file(file.id)),
                    "size": call.formats.size(file.size), "bytes": "\(file.size)",
                    "time": call.formats.time(file.modifiedAt), "isChosen": isChosen,
                ]
            },
        ]
    }
}
