/// Figures of the server in the last hour, day and week.
package protocol HealthRegister: Sendable {
    /// Adds what happened in a minute to its slot of each period. A slot that holds another time is overwritten, so the
    /// log never grows.
    /// - Parameter time: when the minute began.
    func note(_ sample: HealthSample, at time: Timestamp) async throws
    /// The slots of a period that were measured, oldest first. Times in which nothing ran are missing.
    /// - Parameter now: the newest slot is that of a minute before, since a minute is noted when it is over.
    func healthSlots(_ period: HealthPeriod, now: Timestamp) async throws -> [HealthSlot]
}
