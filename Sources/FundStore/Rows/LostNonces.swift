import FundCore

/// The time of the last repair that lost rows of `nonce`: of calls that were signed before, it is not known any more
/// whether they were made.
enum LostNonces {
    private static let name = "nonces_lost_at"

    static func note(at time: Timestamp, _ db: Database) throws { try Counter.set(name, time, db) }

    /// Whether the nonce of a call may have been spent and lost. The client's clock may be ahead.
    static func concern(signedAt time: Timestamp, _ db: Database) throws -> Bool {
        guard let lostAt: Timestamp = try Counter.value(name, db) else { return false }
        return time <= lostAt + ClientClock.maxDifference
    }
}
