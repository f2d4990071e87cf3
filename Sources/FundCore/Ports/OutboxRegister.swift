/// The part of the store that keeps letters on their way out. A letter is written in the transaction that causes it;
/// one process at a time, the relay, hands letters to the server. Errors are `StoreError`.
package protocol OutboxRegister: Sendable {
    // MARK: The relay

    /// Makes this process the relay, until the lease or its process ends; nil while another process is. Letters that
    /// the relay before left as `sending` become `uncertain`.
    func relayLease() async throws -> (any MailboxLease)?
    /// Notes what became of the letter before, as `note` does, and marks the next one that is due as `sending`: both
    /// are durable in one transaction before a byte of the next letter goes out. Nil when none is due. When it throws,
    /// nothing was noted.
    /// - Parameter result: nil for the first letter. Ask `nextDue` before that one: a call writes, which wakes all who
    ///   wait for changes, also where no letter is due.
    func nextLetter(
        after result: (letter: OutboxLetter.ID, outcome: OutboxResult)?, now: Timestamp
    ) async throws -> OutboxLetter?
    /// Notes what became of a letter, and claims none. A letter that is not `sending` any more, as after a repair of
    /// the database, stays as it is.
    func note(_ outcome: OutboxResult, of letter: OutboxLetter.ID, now: Timestamp) async throws
    /// Says at the letter that is due next why it waits: the relay reaches no server. Nothing happens when none is due.
    func noteWait(_ note: String, now: Timestamp) async throws
    /// Time at which the next letter is due; nil when none waits. A letter that is due later than any pause lasts
    /// counts as due now, also in `nextLetter`: the clock was ahead when it was written.
    func nextDue(now: Timestamp) async throws -> Timestamp?

    // MARK: Looking and acting

    /// The letters that the filter admits, the latest first.
    func letters(_ filter: OutboxFilter, _ page: PageQuery) async throws -> ListPage<OutboxLetter>
    /// Throws `notFound`.
    func letter(_ id: OutboxLetter.ID) async throws -> OutboxLetter
    /// The letters by their state.
    func outboxCounts() async throws -> OutboxCounts
    /// Sends a letter anew, or sooner: one that waits, failed or was dropped. Throws `notFound`, and `conflict` for one
    /// that is being sent or was sent, or when `actor` is by now no administrator.
    /// - Parameter mayArriveTwice: also an uncertain one, which throws `conflict` without.
    func retryLetter(_ id: OutboxLetter.ID, mayArriveTwice: Bool, actor: String) async throws
    /// Gives a letter up that was not sent. Throws `notFound`, and `conflict` for one that is being sent, was sent or
    /// was given up before, or when `actor` is by now no administrator.
    func dropLetter(_ id: OutboxLetter.ID, actor: String) async throws
}
