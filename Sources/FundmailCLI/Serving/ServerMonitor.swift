import FundServer
import FundStore
import Glibc
import FundCore
import MailParse

/// Health checks and metrics of the parts that the web server does not know.
struct ServerMonitor: Sendable {
    /// Free bytes below which the check fails: a batch and SQLite's write-ahead log must fit.
    private static let minFreeBytes: Int64 = 256 * 1024 * 1024

    let store: FundStore
    let parser: ParserPool
    let watch: MailWatchService

    var checks: [HealthCheck] {
        let store = store
        return [
            HealthCheck("store") { await Self.problem { try await store.maintenance.checkWritable() } },
            HealthCheck("disk") {
                await Self.problem {
                    let free = try await store.maintenance.freeBytes()
                    guard free >= Self.minFreeBytes else {
                        throw CommandError(.cannotCreate, "only \(Quantity.display(bytes: free)) are left")
                    }
                }
            },
            HealthCheck("watchers") { [watch] in watch.isRunning ? nil : "they are not running" },
        ]
    }

    private static func problem(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return CommandError(error).message }
        return nil
    }

    func families() async -> [MetricFamily] {
        let (barriers, lockWaits) = (store.maintenance.barrierStatistics, store.maintenance.lockWaitStatistics)
        return [
            MetricFamily(
                "fundmail_build_info", .gauge, "Always 1; says what runs.", [.init(1, [("version", Program.version)])]),
            MetricFamily(
                "fundmail_write_transactions_total", .counter, "Transactions that this process began.",
                Double(lockWaits.count)),
            MetricFamily(
                "fundmail_write_lock_wait_seconds_total", .counter, "Time that they waited for their turn.",
                lockWaits.time.seconds),
            MetricFamily(
                "fundmail_search_backlog", .gauge, "Changes that no search finds yet, up to 100,000.",
                Double((try? await store.maintenance.index.backlog()) ?? 0)),
            MetricFamily(
                "fundmail_batches_total", .counter, "Batches of mail made durable, by this process.",
                Double(barriers.count)),
            MetricFamily(
                "fundmail_barrier_seconds_total", .counter, "Time that their durability barriers took.",
                barriers.time.seconds),
            MetricFamily(
                "fundmail_parser_restarts_total", .counter, "Parser processes that were started anew.",
                Double(parser.restartCount)),
            MetricFamily(
                "fundmail_store_free_bytes", .gauge, "Room left on the store's disk.",
                Double((try? await store.maintenance.freeBytes()) ?? 0)),
        ]
    }
}
