internal import Hummingbird
internal import FundCore

extension PageRoute {
    private static let archivePath = "/library/archive"

    /// The archived funds of a person: each is restored from here. The trash has what is deleted, and goes with time.
    static let archiveRoutes: [PageRoute] = [
        .get(archivePath) { call in
            let section = try call.section(of: "archive")
            let page = try await call.library.archivedFunds(of: try call.userID, section)
            let owner = try call.user.email
            let rows = page.items.map { archived -> PageModel in
                let words = call.words
                let counts = [words.count("files", archived.fileCount), words.count("mails", archived.emailCount)]
                let person = archived.archivedBy.flatMap { $0 == owner ? nil : $0 }
                var row: PageModel = [
                    "id": "\(archived.fund.id)", "name": archived.fund.name, "hue": FundHue.name(archived.fund.id),
                    "counts": counts.joined(separator: " · "),
                    "archivedBy": person.orAbsent,
                ]
                if let time = archived.fund.deletedAt { row["time"] = call.formats.time(time) }
                return row
            }
            var model: PageModel = [
                "atArchive": true, "rows": rows, "isEmpty": rows.isEmpty && section.cursor == nil,
            ]
            model["paging"] = try call.paging(archivePath, next: page.next, of: "archive")
            return call.page("archive", model, title: call.words("archived.title"))
        }
    ]
}
