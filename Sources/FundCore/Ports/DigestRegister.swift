/// The part of the store that queues digests. Each is decided in one transaction with its letter in the outbox and with
/// the place up to which the person is told, so that none is queued twice and none is lost. Errors are `StoreError`.
package protocol DigestRegister: Sendable {
    /// Queues the digests that are due, and gives their kinds. The next one of a person waits until the one before has
    /// left the outbox or was given up, and until a limit lets it through: it then tells of all that came meanwhile.
    func queueDigests(
        _ schedule: DigestSchedule, limits: OutboxLimits, now: Timestamp
    ) async throws -> [Digest.Kind]
    /// The people who get digests now.
    func digestCounts() async throws -> DigestCounts
}
