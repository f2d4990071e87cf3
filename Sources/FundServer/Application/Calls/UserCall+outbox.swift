internal import FundHTTP
internal import FundCore

extension UserCall {
    var outbox: any OutboxRegister { parts.store.outbox }

    /// The letters that the query asks for by `state` and `to`. Throws 400 for a word that is no state.
    func outboxFilter(_ query: QueryText) throws -> OutboxFilter {
        var filter = OutboxFilter(recipient: query["to"])
        if let word = query.word("state") {
            guard let states = OutboxLetter.State.named(word) else {
                let names = OutboxLetter.State.allCases.map(\.rawValue) + OutboxLetter.State.groups.map(\.name)
                throw RequestError.invalid("state must be one of \(names.joined(separator: ", "))")
            }
            filter.states = states
        }
        return filter
    }

    /// The letter of the path parameter `letter`, and the mail that it is about. Throws 404.
    func letter() async throws -> (letter: OutboxLetter, message: AuditNames.Message?) {
        let letter = try await outbox.letter(try id("letter"))
        return (letter, try await administration.messages(of: [letter.cause])[letter.cause])
    }
}
