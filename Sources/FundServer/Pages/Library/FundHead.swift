internal import Hummingbird
internal import FundCore

/// The head of all pages of a fund: its name, its subject line, and the tabs.
struct FundHead {
    enum Tab {
        case files, mail, notes
    }

    let summary: FundSummary
    let tab: Tab

    /// Throws 404 for a fund that is not the user's.
    init(_ id: Fund.ID, _ tab: Tab, _ call: PageCall) async throws {
        summary = try await call.library.fundSummary(id, of: try call.userID)
        self.tab = tab
    }

    var fund: FundEntry { summary.fund }

    var model: PageModel {
        [
            "files": "\(summary.fileCount)", "mails": "\(summary.emailCount)", "notes": "\(summary.noteCount)",
            "id": "\(fund.id)", "name": fund.name, "hue": FundHue.name(fund.id), "isFavourite": fund.isFavourite,
            "type": "fund", "atFiles": tab == .files, "atMail": tab == .mail, "atNotes": tab == .notes,
        ]
    }
}

/// The class that gives a fund its colour.
enum FundHue {
    static func name(_ fund: Fund.ID) -> String { "hue\(fund.rawValue % 8 + 1)" }
}
