internal import FundCore

/// A row of the trash, for the template `trash`. What can be looked at leads to its place beside the list.
struct TrashRow {
    let list: ShownList
    /// The item that is opened beside the list.
    let opened: LibraryItemID?
    let isChosen: Bool
    let call: PageCall

    /// - Parameters:
    ///   - takenBack: who took which files back that mail had brought by mistake.
    ///   - badges: of the files of the section.
    func model(
        _ entry: TrashEntry, _ takenBack: [FileEntry.ID: String], _ badges: FileBadges
    ) -> PageModel {
        var row = model(entry.item.itemID, entry.name, entry.deletedAt)
        row["fundName"] = entry.fundName.orAbsent
        row["folderName"] = entry.folderName.orAbsent
        row["deletedBy"] = entry.deletedBy.orAbsent
        guard case .file(let file) = entry.item else { return row }
        row.merge(badges.model(file.name, file.contentType, file.digest, at: list.contents(of: file.id)))
        if let who = takenBack[file.id] {
            row["takenBack"] = call.words("trash.takenback", call.words.isolated(who))
        }
        return row
    }

    func model(_ text: DeletedText) -> PageModel {
        var row = model(text.item, call.words.title(text.title, of: text.item.kind), text.deletedAt)
        row["fundName"] = text.fundName
        if let sender = text.sender.map(Words.shown) {
            (row["sender"], row["icon"]) = (sender, false)
            (row["face"], row["faceHue"]) = (Initials.text(of: sender), Initials.hue(of: sender))
        }
        return row
    }

    private func model(_ item: LibraryItemID, _ name: String, _ deletedAt: Timestamp?) -> PageModel {
        let parts = item.kind == .file ? FileNameParts(shown: name) : nil
        var row: PageModel = [
            "key": ItemSelection.key(item), "name": name, "stem": parts?.stem ?? name, "ending": parts?.suffix ?? "",
            "kind": call.words("kind.\(item.kind.name)"), "icon": item.kind.icon.orAbsent, "isFile": item.kind == .file,
            "isChosen": isChosen, "isOpen": opened == item, "until": false, "sender": false, "folderName": false,
            "deletedBy": false, "address": list.mayHold(item) ? .text(list.link(to: item)) : PageValue.flag(false),
        ]
        guard let deletedAt else { return row }
        row["time"] = call.formats.time(deletedAt)
        if let days = call.pages.restorableDays() {
            row["until"] = call.formats.time(deletedAt + .seconds(Int64(days) * Int64(CivilDate.secondsPerDay)))
        }
        return row
    }
}
