package import FundCore

/// Dry runs of the rules.
extension DeskService {
    /// The result of the rules for kept mail, if it were routed now.
    package struct Rehearsal: Sendable {
        package var messages: [(record: MisrouteRecord, fund: Fund, of: User)] = []
        /// How many were not tried: none is after `maxMessages`.
        package var left = 0
    }

    /// Routes the messages that the filter admits and that wait, and stores nothing.
    package func rehearse(_ filter: MisrouteFilter) async throws -> Rehearsal {
        var filter = filter
        (filter.includesResolved, filter.attention) = (false, .waiting)
        let waiting = try await store.misroutes(filter, PageQuery(limit: Self.maxMessages)).items
        var found = Rehearsal()
        found.left = max(try await store.countMisroutes(filter) - waiting.count, 0)
        for record in waiting {
            try Task.checkCancellation()
            do {
                let decision = try await refiling.rehearse(record.id)
                if decision.outcome == .filed, let fund = decision.fund, let user = decision.user {
                    found.messages.append((record, fund, user))
                }
            } catch {
                // It may have been filed meanwhile, or its file may be damaged: the others can be told all the same.
                guard Self.isAboutOne(error) else { throw error }
            }
        }
        return found
    }
}
