import FundServer
import FundStore
import Glibc
import Ingest
import MailParse

/// What only the program around the server knows about its health.
struct ServerMonitor: Sendable {
    /// Less room is trouble ahead: a batch and what SQLite keeps beside it must fit.
    private static let minFreeBytes: Int64 = 256 * 1024 * 1024

    let store: FundStore
    let parser: ParserPool
    let watch: MailWatchService

    var checks: [HealthCheck] {
        let store = store
        var checks = [
            HealthCheck("store") { await Self.problem { try await store.checkWritable() } },
            HealthCheck("disk") {
                await Self.problem {
                    let free = try await store.freeBytes()
                    guard free >= Self.minFreeBytes else {
                        throw CommandFailure(.cannotCreate, "only \(Quantity.display(bytes: free)) are left")
                    }
                }
            },
        ]
        checks.append(HealthCheck("watchers") { [watch] in watch.isRunning ? nil : "they are not running" })
        return checks
    }

    private static func problem(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return CommandFailure(error).message }
        return nil
    }

    func families() async -> [MetricFamily] {
        let barriers = store.barrierStatistics
        return [
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
                Double((try? await store.freeBytes()) ?? 0)),
            MetricFamily("process_resident_memory_bytes", .gauge, "Resident memory of this process.", residentBytes),
        ]
    }

    /// proc(5), `statm`: the second number counts pages.
    private var residentBytes: Double {
        let text = (try? WholeFile.read("/proc/self/statm", maxBytes: 4096)).map { String(decoding: $0, as: UTF8.self) }
        let words = text?.split(separator: " ") ?? []
        return words.count > 1 ? (Double(words[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) : 0
    }
}
