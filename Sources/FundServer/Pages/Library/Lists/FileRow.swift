internal import FundCore

/// The rows of folders and files in the lists of a fund, for the template `filerow`.
struct FileRow {
    let list: ShownList
    let fund: FundEntry
    /// The item that is opened beside the list.
    let opened: LibraryItemID?
    let call: PageCall

    func model(_ listed: PlaceRow, _ badges: FileBadges, isChosen: Bool) -> PageModel {
        switch listed.item {
        case .fund: return [:]
        case .folder(let folder):
            return [
                "key": "folder-\(folder.id)", "type": "folder", "id": "\(folder.id)", "name": folder.name,
                "isFolder": true, "isOpen": false, "stem": folder.name, "ending": "",
                "address": LibraryPaths.folder(folder.id, in: folder.fund),
                "place": PlaceChoice.text(LibraryPlace(fund: folder.fund, folder: folder.id)), "bytes": "0",
                "time": call.formats.time(folder.modifiedAt), "size": "", "isChosen": isChosen,
                "sender": false, "versions": false,
            ]
        case .file(let file):
            let name = FileNameParts(shown: file.name)
            var row: PageModel = [
                "key": "file-\(file.id)", "type": "file", "id": "\(file.id)", "name": file.name, "isFolder": false,
                "stem": name.stem, "ending": name.suffix,
                "address": list.link(to: .file(file.id)), "isOpen": opened == .file(file.id),
                "size": call.formats.size(file.size), "bytes": "\(file.size)",
                "time": call.formats.time(file.modifiedAt), "isFavourite": file.isFavourite,
                "isChosen": isChosen,
            ]
            row.merge(badges.model(file))
            let sender = listed.email.map { call.words.sender($0.fromName, $0.from) }
            row["sender"] = sender.orAbsent
            row["subject"] = listed.email.map { call.words.subject($0.subject, in: fund) }
            row["versions"] =
                listed.versions.map {
                    VersionsView.model($0, in: list, isChosen: isChosen, call)
                }.orAbsent
            return row
        }
    }
}
