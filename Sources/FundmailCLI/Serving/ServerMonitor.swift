import FundServer
import FundStore
import Glibc
import FundCore
import MailParse
import MailSend
import Terminal

/// Health checks and metrics of the parts that the web server does not know.
struct ServerMonitor: Sendable {
    /// Free bytes below which the check fails: a batch and SQLite's write-ahead log must fit.
    static let minFreeBytes: Int64 = 256 * 1024 * 1024

    let store: FundStore
    let parser: ParserPool
    let watch: MailWatchService
    let relay: OutboxRelay
    let directory: DirectoryService

    var checks: [HealthCheck] {
        let store = store
        var database: [HealthCheck] = []
        if store.hasRowsOnServer {
            database = [
                HealthCheck("database") { await Self.problem { _ = try await store.maintenance.databaseServer() } }
            ]
        }
        return database + [
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

    func figures() async -> HealthFigures {
        HealthFigures(
            freeBytes: try? await store.maintenance.freeBytes(),
            searchBacklog: try? await store.maintenance.index.backlog(),
            failedScans: await failedScans(FailedScan.maxCounted).count, letters: await letterFigures(),
            directory: directory.figures, bucket: await bucketFigures())
    }

    /// Nil in a store without a bucket. The bucket is asked once in ten seconds at most.
    private func bucketFigures() async -> BucketFigures? {
        guard let bucket = store.bucket, let status = try? await bucket.status() else { return nil }
        let problem = await Self.problem { try await bucket.check() }
        return BucketFigures(
            waitingBytes: status.waitingBytes, problem: problem ?? bucket.lastFailure.map { CommandError($0).message })
    }

    /// Nil where no server is configured and no letter waits.
    private func letterFigures() async -> LetterFigures? {
        guard let counts = try? await store.outbox.outboxCounts() else { return nil }
        let status = relay.status
        guard status.condition != .off || counts.waiting > 0 else { return nil }
        return LetterFigures(waiting: counts.waiting, troubled: counts.troubled, problem: status.problem)
    }

    /// Files that the scanner could not look at, the latest first.
    func failedScans(_ limit: Int) async -> [FailedScan] {
        (try? await store.previews.failedScans(limit: limit)) ?? []
    }

    private static func problem(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return CommandError(error).message }
        return nil
    }

    /// None in a store without a bucket.
    private func bucketFamilies() async -> [MetricFamily] {
        guard let bucket = store.bucket, let status = try? await bucket.status() else { return [] }
        return [
            MetricFamily(
                "fundmail_bucket_waiting_bytes", .gauge, "Bytes of the log that are on this disk only.",
                Double(status.waitingBytes)),
            MetricFamily(
                "fundmail_bucket_failing", .gauge, "Whether segments cannot be brought to the bucket now.",
                bucket.lastFailure == nil ? 0 : 1),
        ]
    }

    func families() async -> [MetricFamily] {
        let figures = await figures()
        let ingest = store.mail.statistics
        return await bucketFamilies() + [
            MetricFamily(
                "fundmail_build_info", .gauge, "Always 1; says what runs.", [.init(1, [("version", Release.version)])]),
            MetricFamily(
                "fundmail_write_lock_wait_seconds", "Time that write transactions waited for their turn.",
                store.maintenance.lockWaits),
            MetricFamily(
                "fundmail_failed_scans", .gauge, "Files that the scanner for malware could not look at.",
                Double(figures.failedScans ?? 0)),
            MetricFamily(
                "fundmail_directory_people", .gauge, "People of the company's directory.",
                Double(figures.directory?.people ?? 0)),
            MetricFamily(
                "fundmail_directory_failing", .gauge, "Whether the company's directory cannot be read now.",
                figures.directory?.problem == nil ? 0 : 1),
            MetricFamily(
                "fundmail_barrier_duration_seconds", "Time to make files of a batch or an upload durable.",
                store.maintenance.barrierDurations),
            MetricFamily(
                "fundmail_message_processing_seconds",
                "Time from taking a message from its mailbox to its durable row.",
                ingest.timeToRow),
            MetricFamily(
                "fundmail_mailbox_run_duration_seconds", "Time that runs over mailboxes took.", ingest.runs),
            MetricFamily(
                "fundmail_mailbox_failed_runs_total", .counter, "Runs over mailboxes that failed.",
                Double(ingest.failedRuns)),
            MetricFamily(
                "fundmail_search_backlog", .gauge, "Changes that no search finds yet, up to 100,000.",
                Double(figures.searchBacklog ?? 0)),
            MetricFamily(
                "fundmail_parser_restarts_total", .counter, "Parser processes that were started anew.",
                Double(parser.restartCount)),
            MetricFamily(
                "fundmail_store_free_bytes", .gauge, "Room left on the store's disk.",
                Double(figures.freeBytes ?? 0)),
        ]
    }
}
