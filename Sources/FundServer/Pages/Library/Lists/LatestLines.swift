internal import FundCore

/// The rows of Latest: arrivals below the headings of their days, with a line between what came since the last visit
/// and what was there before. Files that were put into one place one after the other are one row.
struct LatestLines {
    private let list: ShownList
    private let words: Words
    private let formats: Formats
    /// Time of the last visit; nil before the first.
    private let seenAt: Timestamp?
    /// Time of the arrival above the next row.
    private var above: Timestamp?

    /// - Parameter above: time of the last arrival of the section above; nil for the first section.
    init(seenAt: Timestamp?, above: Timestamp?, in list: ShownList, _ words: Words, _ formats: Formats) {
        (self.seenAt, self.above, self.list) = (seenAt, above, list)
        (self.words, self.formats) = (words, formats)
    }

    /// - Parameter badges: of the files of these arrivals.
    mutating func rows(_ arrivals: [Arrival], _ badges: FileBadges) -> [PageModel] {
        var rows: [PageModel] = []
        var rest = arrivals[...]
        while let first = rest.first {
            let together = rest.prefix { first.isTogether(with: $0) }
            var row: PageModel
            switch first.content {
            case .email(let arrival): row = self.row(arrival, in: first.fundName, badges)
            case .upload(let file): row = self.row(together.compactMap(\.upload), first: file, badges)
            }
            row.merge([
                "isNew": first.isNew, "fundName": first.fundName, "fundID": "\(first.fund)",
                "hue": FundHue.name(first.fund), "time": formats.clock(first.at),
            ])
            row.merge(heading(of: first.at))
            rows.append(row)
            above = (together.last ?? first).at
            rest = rest.dropFirst(max(together.count, 1))
        }
        return rows
    }

    /// The heading of a day before its first row, and the line of the last visit. Values that are not there are said to
    /// be absent: a name that is missing is looked up in what stands around.
    private func heading(of time: Timestamp) -> PageModel {
        let isFirstOfDay = above.map { formats.day($0).key != formats.day(time).key } ?? true
        let since = seenAt.flatMap { seen in above.flatMap { $0 > seen && time <= seen ? seen : nil } }
        return [
            "day": isFirstOfDay ? .model(formats.dayHeading(time)) : PageValue.flag(false),
            "since": since.map(formats.exactTime).orAbsent,
        ]
    }

    // MARK: Rows

    private func row(_ arrival: EmailArrival, in fundName: String, _ badges: FileBadges) -> PageModel {
        let email = arrival.email
        let from = words.sender(email.fromName, email.from)
        return [
            "key": "email-\(email.id)", "isMail": true, "address": list.link(to: .email(email.id)),
            "name": words.subject(email.subject, withoutTagOf: [fundName]), "isFile": false, "from": from,
            "face": Initials.text(of: from),
            "faceHue": Initials.hue(of: from), "excerpt": arrival.excerpt.orAbsent,
            "clips": arrival.files.map { clip($0, badges) }, "hasClips": !arrival.files.isEmpty,
            "item": item(.email(email.id), words.subject(email.subject), isFavourite: email.isFavourite),
            "more": arrival.hasMoreFiles ? .text(words("latest.moremail")) : PageValue.flag(false),
        ]
    }

    private func row(_ files: [FileEntry], first file: FileEntry, _ badges: FileBadges) -> PageModel {
        let isOne = files.count == 1
        let shown = files.prefix(EmailArrival.maxFiles)
        let clips: [PageModel] = isOne ? [] : shown.map { clip($0, badges) }
        let place = LibraryPaths.place(LibraryPlace(fund: file.fund, folder: file.folder))
        var row: PageModel = [
            "key": "file-\(file.id)", "isMail": false, "address": isOne ? list.link(to: .file(file.id)) : place,
            "name": words.count("latest.put", files.count), "isFile": isOne, "from": words("latest.byyou"),
            "excerpt": isOne ? .text(formats.size(file.size)) : PageValue.flag(false),
            "clips": clips, "hasClips": !isOne,
            "item": isOne ? item(.file(file.id), file.name, isFavourite: file.isFavourite) : .flag(false),
            "more": files.count > shown.count
                ? .text(words.count("latest.more", files.count - shown.count)) : PageValue.flag(false),
        ]
        row.merge(isOne ? clip(file, badges) : ["badge": "+", "badgeHue": FundHue.name(file.fund)])
        return row
    }

    /// The item that the menu of a row is about. A row that stands for several has none.
    private func item(_ item: LibraryItemID, _ name: String, isFavourite: Bool) -> PageValue {
        .model([
            "type": item.kind.name, "id": "\(item.number)", "name": name, "isFavourite": isFavourite,
        ])
    }

    private func clip(_ file: FileEntry, _ badges: FileBadges) -> PageModel {
        let name = FileNameParts(shown: file.name)
        var clip: PageModel = [
            "name": file.name, "stem": name.stem, "ending": name.suffix, "address": list.link(to: .file(file.id)),
            "content": "/library/files/\(file.id)/content", "size": formats.size(file.size),
        ]
        clip.merge(badges.model(file))
        return clip
    }
}

extension Arrival {
    fileprivate var upload: FileEntry? { if case .upload(let file) = content { file } else { nil } }

    /// Seconds within which files that are put into one place are one row.
    private static let togetherSeconds: Int64 = 3600

    /// Whether a later line belongs to the row of this one.
    fileprivate func isTogether(with other: Arrival) -> Bool {
        guard let (first, second) = upload.flatMap({ first in other.upload.map { (first, $0) } }) else {
            return self == other
        }
        return first.fund == second.fund && first.folder == second.folder
            && abs(first.createdAt.rawValue - second.createdAt.rawValue) <= Self.togetherSeconds
    }
}
