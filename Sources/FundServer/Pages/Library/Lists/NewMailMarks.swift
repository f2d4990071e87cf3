internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageCall {
    /// Whether a person wants to see the page: they came by the address bar, by a bookmark or by this site. What a
    /// script fetches is no visit, nor is a page to which another site led. Its link comes without the cookie, and the
    /// page that is shown then asks for itself: as if it had a link to itself.
    var isVisit: Bool {
        guard request.method == .get, request.headers[.secFetchMode] ?? "navigate" == "navigate" else { return false }
        // Fetched ahead, and perhaps never shown (https://wicg.github.io/nav-speculation/prefetch.html).
        guard request.headers[.secPurpose] == nil else { return false }
        // Absent in browsers that do not say it, and at plain http.
        guard ["same-origin", "none", nil].contains(request.headers[.secFetchSite]) else { return false }
        return request.headers[.referer].flatMap(localPath(ofReferrer:)) != address
    }
}

extension PageCall {
    /// Notes that mail was listed: it has been seen, and mail that comes meanwhile stays new. Best effort: a full disk
    /// hides no mail. Mail that was moved here may be later than mail above it: further sections note a visit, too, by
    /// cursors that no other site has.
    /// - Parameter latest: the latest of the mail that the section lists.
    func noteSeen(
        to fund: Fund.ID, upTo latest: EmailSummary.ID, _ marks: NewMailMarks, _ section: PageQuery
    ) async {
        guard section.cursor == nil ? isVisit : marks.hasNew && request.method == .get else { return }
        try? await library.noteVisit(to: fund, upTo: latest, of: try userID)
    }
}

/// Which rows of a fund's mail are marked as new: those of emails that came after the last one that was seen, by their
/// ids. The visit is noted while the first section is made, so that the addresses of further sections say what had been
/// seen before.
struct NewMailMarks {
    private let isMarking: Bool
    /// Nil marks all.
    private let lastSeen: EmailSummary.ID?
    /// Whether all rows until now are new: above the first that is not stands a line.
    private var isUnbroken: Bool
    private let isFirst: Bool
    private let fields: [(name: String, value: String?)]
    private(set) var hasNew = false

    /// - Parameters:
    ///   - isFirst: nothing stands above the section.
    ///   - isNarrow: a filter leaves mail out, and nothing is marked.
    init(of summary: FundSummary, _ query: QueryText, isFirst: Bool, isNarrow: Bool) throws {
        let asked: EmailSummary.ID? = try query.number("seen").map { EmailSummary.ID($0) }
        let isAsked = asked != nil
        isMarking = !isNarrow && (isAsked || isFirst && summary.newEmailCount > 0)
        lastSeen = isAsked ? asked : summary.lastSeenEmail
        isUnbroken = isMarking && (isFirst || query["above"] == "new")
        self.isFirst = isFirst
        // Ids begin with 1.
        let seen = isMarking ? "\(lastSeen.map { "\($0)" } ?? "0")" : nil
        fields = [("seen", seen)]
        fieldsOfSection = fields + [("above", isFirst ? nil : query["above"])]
    }

    /// Marks the row of an email, or of a file that came with it.
    mutating func mark(_ email: EmailSummary.ID, _ row: inout PageModel) {
        let isNew = isMarking && lastSeen.map { email > $0 } ?? true
        row["isNew"] = isNew
        // Nothing new may stand above, but what is the owner's own.
        row["isFirstSeen"] = isUnbroken && !isNew && (hasNew || !isFirst)
        isUnbroken = isUnbroken && isNew
        hasNew = hasNew || isNew
    }

    /// Fields of the query of the same section.
    let fieldsOfSection: [(name: String, value: String?)]

    /// Fields of the query of the section behind the marked rows.
    var fieldsOfNext: [(name: String, value: String?)] { fields + [("above", isUnbroken ? "new" : nil)] }
}
