internal import FundCore

/// Values of one person that the shell of every page shows beside the page.
struct SidebarSummary: Sendable {
    struct FundLine: Sendable {
        var id: Fund.ID
        var name: String
        var isFavourite: Bool
        /// Mails and files that others sent, and the person did not see yet.
        var newCount: Int
    }

    /// Counts for administrators.
    struct Office: Sendable {
        var waitingCount: Int
        var isMailboxFailing: Bool
    }

    /// Favourites first.
    var funds: [FundLine]
    var hasMoreFunds: Bool
    /// Over all funds.
    var newCount: Int
    /// Whether one of the person's own mails waits at the desk.
    var isMailWaiting: Bool
    /// Nil for others than administrators.
    var office: Office?
}

/// The shell around a page: sidebar, rail or bottom bar, by the width of the window.
enum PageSidebar {
    private static let maxFunds = 12

    static func load(_ call: PageCall) async throws -> SidebarSummary {
        let user = try call.user
        let page = try await call.library.fundSummaries(of: user.id, PageQuery(limit: maxFunds, cursor: nil))
        let funds = page.items.map { summary in
            SidebarSummary.FundLine(
                id: summary.fund.id, name: summary.fund.name, isFavourite: summary.fund.isFavourite,
                newCount: summary.newEmailCount)
        }
        var office: SidebarSummary.Office?
        if user.isAdministrator {
            let counts = try await call.administration.deskCounts(since: call.dayStart)
            office = SidebarSummary.Office(waitingCount: counts.waiting, isMailboxFailing: false)
        }
        return SidebarSummary(
            funds: funds.filter(\.isFavourite) + funds.filter { !$0.isFavourite }, hasMoreFunds: page.next != nil,
            newCount: funds.reduce(0) { $0 + $1.newCount }, isMailWaiting: false, office: office)
    }

    /// For the templates `head` and `foot`. What is not so is said to be absent: a name that is missing is looked up
    /// in the page's own values.
    /// - Parameters:
    ///   - fund: the id of the fund that the page is of.
    ///   - hasKeys: whether single keys do something.
    static func model(_ summary: SidebarSummary, of user: User, at fund: String?, hasKeys: Bool) -> PageModel {
        let funds = summary.funds.map { line -> PageModel in
            [
                "id": "\(line.id)", "name": line.name, "hue": FundHue.name(line.id), "isStarred": line.isFavourite,
                "fresh": count(line.newCount), "isHere": "\(line.id)" == fund,
            ]
        }
        let office = summary.office.map { office -> PageModel in
            ["desk": count(office.waitingCount), "isMailboxFailing": office.isMailboxFailing]
        }
        let name = user.name ?? user.email
        return [
            "funds": funds, "hasMoreFunds": summary.hasMoreFunds, "latestNew": count(summary.newCount),
            "isMailWaiting": summary.isMailWaiting, "hasLatest": false, "hasKeys": hasKeys,
            "office": office.map { .model($0) } ?? PageValue.flag(false),
            "person": name, "face": Face.initials(of: name), "faceHue": Face.hue(of: name),
        ]
    }

    private static func count(_ number: Int) -> PageValue { number > 0 ? .text("\(number)") : .flag(false) }
}
