internal import Hummingbird
internal import FundCore

/// The head of all pages of a fund: its name, its subject line, and the tabs.
struct FundHead {
    enum Tab {
        case all, files, mail, notes, news
    }

    let summary: FundSummary
    let tab: Tab
    /// Address to which people write mail; nil when the configuration does not tell it.
    private let mailbox: String?
    /// Address and subject as one text to copy; nil without an address.
    private let whole: String?
    /// Unread items of the fund's own feeds; nil without feeds.
    private let unreadNews: Int?
    private let newsIsOn: Bool

    /// Throws 404 for a fund that is not the user's.
    init(_ id: Fund.ID, _ tab: Tab, _ call: PageCall) async throws {
        summary = try await call.library.fundSummary(id, of: try call.userID)
        newsIsOn = call.parts.newsIsOn()
        unreadNews = newsIsOn ? try await call.pages.sidebars.unreadNews(of: id, of: try call.userID) : nil
        self.tab = tab
        let card = AddressCard(of: summary.fund, call)
        mailbox = card.mailbox
        whole = card.mailbox.map {
            [call.words("fund.whole.to", $0), call.words("fund.whole.subject", card.line)].joined(separator: "\n")
        }
    }

    var fund: FundEntry { summary.fund }

    var model: PageModel {
        [
            "files": "\(summary.fileCount)", "mails": "\(summary.emailCount)", "notes": "\(summary.noteCount)",
            "id": "\(fund.id)", "name": fund.name, "hue": FundHue.name(fund.id), "isFavourite": fund.isFavourite,
            // Said to be absent: the page may have one of its own.
            "mailbox": mailbox.orAbsent,
            "whole": whole.orAbsent,
            "type": "fund", "atAll": tab == .all,
            "all": "\(summary.fileCount + summary.emailCount + summary.noteCount)",
            "takesFiles": tab == .files || tab == .all, "atFiles": tab == .files, "atMail": tab == .mail,
            "atNotes": tab == .notes, "atFundNews": tab == .news, "hasNews": unreadNews != nil || tab == .news,
            "newsIsOn": newsIsOn, "newsCount": unreadNews.map { "\($0)" }.orAbsent,
        ]
    }
}

/// The class that gives a fund its colour.
enum FundHue {
    static func name(_ fund: Fund.ID) -> String { "hue\(fund.rawValue % 8 + 1)" }
}
