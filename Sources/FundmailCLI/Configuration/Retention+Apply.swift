import FundStore
internal import Glibc

extension Retention {
    /// Lets go of what is old enough. The caller holds the run lock.
    func apply(to store: FundStore) async throws {
        if let rawDays { _ = try await store.applyRetention(rawDays: rawDays) }
        if let deletedDays {
            _ = try await store.purgeDeleted(before: Int64(time(nil)) - Int64(deletedDays) * 86_400)
        }
    }
}
