internal import FundCore

/// The shell around a page: sidebar, rail or bottom bar, by the width of the window.
enum PageSidebar {
    /// Unread items of news from which on the number stands for more.
    static let maxUnreadNews = 1000
    /// Funds that are all shown where there is little room; of more, only those with a star.
    private static let fewFunds = 8

    /// For the templates `head` and `foot`. What is not so is said to be absent: a name that is missing is looked up
    /// in the page's own values.
    /// - Parameters:
    ///   - mailboxes: names of those that are configured: one that is not any more counts as no failure.
    ///   - fund: the id of the fund that the page is of.
    ///   - hasKeys: whether single keys do something.
    static func model(
        _ summary: SidebarSummary, of user: User, mailboxes: [String], at fund: String?, hasKeys: Bool
    ) -> PageModel {
        let isMany = summary.hasMoreFunds || summary.funds.count > fewFunds
        let funds = summary.funds.map { line -> PageModel in
            [
                "id": "\(line.id)", "name": line.name, "hue": FundHue.name(line.id), "isStarred": line.isFavourite,
                "fresh": count(line.newCount, upTo: SidebarSummary.maxNewCount), "isHere": "\(line.id)" == fund,
                "isRest": isMany && !line.isFavourite,
            ]
        }
        let office = summary.office.map { office -> PageModel in
            [
                "desk": count(office.waitingCount, upTo: SidebarSummary.maxWaitingCount),
                "isMailboxFailing": office.failingMailboxes.contains(where: mailboxes.contains),
                "isOutboxTroubled": office.isLetterTroubled,
            ]
        }
        let name = user.name ?? user.email
        return [
            "funds": funds, "hasMoreFunds": summary.hasMoreFunds,
            "latestNew": count(summary.newCount, upTo: SidebarSummary.maxNewCount),
            "isMailWaiting": summary.isMailWaiting, "hasKeys": hasKeys,
            "office": office.orAbsent,
            "person": name, "face": Initials.text(of: name), "faceHue": Initials.hue(of: name),
        ]
    }

    /// `14`; `99+` for a number that was counted no further than `limit`.
    static func count(_ number: Int, upTo limit: Int) -> PageValue {
        guard number > 0 else { return .flag(false) }
        return .text(number < limit ? "\(number)" : "\(limit - 1)+")
    }
}
