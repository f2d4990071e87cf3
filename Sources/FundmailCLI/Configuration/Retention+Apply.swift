import FundStore
import Logging
import MailFetch

extension Retention {
    /// How often what is old is looked for, where something runs for longer.
    static let period = Duration.seconds(24 * 60 * 60)

    /// Once a period until cancelled. The caller holds the run lock. Failures are logged: the next turn may mend them.
    func keepApplying(to store: FundStore, until cancellation: Cancellation) async {
        repeat {
            do { try await apply(to: store) } catch {
                Logger(label: "fundmail.retention").error("what is old could not be removed: \(CommandFailure(error))")
            }
        } while await cancellation.pause(for: Self.period)
    }

    /// Lets go of what is old enough, once the clock can be believed. The caller holds the run lock.
    func apply(to store: FundStore) async throws {
        guard rawDays != nil || deletedDays != nil, try await store.isClockSteady() else { return }
        if let rawDays { _ = try await store.applyRetention(rawDays: rawDays) }
        if let deletedDays {
            _ = try await store.purgeDeleted(before: Clock.now - Int64(deletedDays) * 86_400)
        }
    }
}
