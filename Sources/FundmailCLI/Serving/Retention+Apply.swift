import FundCore
import FundStore
import MailWatch
import Logging
import MailFetch

extension Retention {
    /// How often what is old is looked for, where something runs for longer.
    static let period = Duration.seconds(24 * 60 * 60)

    /// Once a period until cancelled, each time by what `current` gives. The caller holds the run lock. Failures are
    /// logged: the next turn may mend them.
    static func keepApplying(
        _ current: @Sendable () -> Retention, to store: FundStore, until cancellation: Cancellation
    ) async {
        repeat {
            do { try await current().apply(to: store) } catch {
                Logger(label: "fundmail.retention").error("what is old could not be removed: \(CommandError(error))")
            }
        } while await cancellation.pause(for: period)
    }

    /// The longest step of the clock between two runs that is no jump: half of the shorter time, at least
    /// 26 hours, so that a daily run may be late, and at most 8 days. Nil when everything is kept.
    var longestGap: Duration? {
        [rawDays, deletedDays].compactMap(\.self).min().map { days in
            min(.seconds(8 * 86_400), max(.seconds(26 * 3600), .seconds(days * 86_400 / 2)))
        }
    }

    /// Removes what is older than the times say. Nothing is removed until the machine's clock has gone forward for 20
    /// hours in steps of at most `longestGap`. The caller holds the run lock.
    func apply(to store: FundStore) async throws {
        guard let longestGap, try await store.maintenance.isClockSteady(longestGap: longestGap) else { return }
        if let rawDays { _ = try await store.maintenance.applyRetention(rawDays: rawDays) }
        if let deletedDays {
            _ = try await store.maintenance.purgeDeleted(before: .now - .seconds(deletedDays * 86_400))
        }
    }
}
