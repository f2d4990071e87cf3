package import FundCore

/// The state of the desk for an administrator in the morning: the new messages, the longest wait, the causes.
package struct DeskDigest: Sendable {
    /// Causes that are shown; the others are counted.
    private static let maxCauses = 10

    package let counts: DeskCounts
    package let newCount: Int
    package let oldest: MisrouteRecord?
    /// Most messages first.
    package let causes: [CauseRecord]
    package let otherCauses: Int

    /// - Parameter since: what came then or later is new.
    package init(of desk: any Administration & Desk, since: Timestamp) async throws {
        counts = try await desk.deskCounts(since: since)
        var filter = MisrouteFilter()
        filter.attention = .waiting
        var (waiting, cursor): ([CauseRecord], String?) = ([], nil)
        repeat {
            let page = try await desk.causes(filter, PageQuery(cursor: cursor))
            waiting += page.items
            cursor = page.next
        } while cursor != nil
        // The first of a page, which is in the order of their oldest messages.
        oldest = waiting.first?.first
        filter.since = since
        newCount = try await desk.countMisroutes(filter)
        let most = waiting.sorted { ($0.count, $1.first.id) > ($1.count, $0.first.id) }
        causes = Array(most.prefix(Self.maxCauses))
        otherCauses = most.count - causes.count
    }
}
