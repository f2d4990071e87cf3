internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The notes of a fund.
    static let noteListRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/notes") { call in
            let shown = ShownList.notes(try call.id("fund"))
            let opened = try await OpenedItem(in: shown, call)
            if let answer = try opened?.alone() { return answer }
            let head = try await FundHead(try call.id("fund"), .notes, call)
            let list = "notes \(head.fund.id)"
            let page = try await call.library.notes(
                in: head.fund.id, by: NoteOrder(.modifiedAt, isDescending: true), try call.section(of: list),
                of: try call.userID)
            let rows = page.items.map { NoteRow.model($0, in: shown, opened?.item, call) }
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": rows.isEmpty, "here": shown.address,
            ]
            model["paging"] = try call.paging(shown.address, next: page.next, of: list)
            return call.page("notes", model, title: "\(head.fund.name) · \(call.words("tab.notes"))", opened: opened)
        }.live
    ]
}

/// A row of a list of notes, for the template `noterow`.
enum NoteRow {
    /// Bytes of a note's text in a list: a line or two. One character may be kilobytes.
    private static let maxStartBytes = 400

    static func model(_ note: NoteEntry, in list: ShownList, _ opened: LibraryItemID?, _ call: PageCall) -> PageModel {
        let title = NoteEditor.title(note.text, call)
        return [
            "id": "\(note.id)", "title": title, "name": title, "type": "note",
            "isFavourite": note.isFavourite, "isOpen": opened == .note(note.id),
            "address": list.link(to: .note(note.id)),
            "start": note.text.content.prefix(bytes: maxStartBytes),
            "time": call.formats.time(note.modifiedAt),
        ]
    }
}
