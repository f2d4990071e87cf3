import FundCore
import FundHTTP
import FundServer
import FundStore
import Ingest
import Logging
import ServiceLifecycle
import Terminal

/// The transfers between drives and funds beside what else runs.
struct TransferService: Service {
    let runner: TransferRunner
    private let watches: WatchRunner

    init(_ drives: any DriveOperations, _ store: FundStore) {
        let (limits, log) = (TransferLimits(maxFileBytes: ServerLimits().maxUploadBytes), TransferLog())
        watches = WatchRunner(
            store.drives, drives, limits: limits, commits: store.library.commits, observe: log.write)
        runner = TransferRunner(
            store.drives, drives, store.library, limits: limits, watches: watches, commits: store.library.commits,
            observe: log.write)
    }

    /// Runs until graceful shutdown. The next process goes on with the transfers under way.
    func run() async throws {
        await cancelWhenGracefulShutdown { [runner] in await runner.run() }
        // A service that ends by itself would count as broken down.
        try? await gracefulShutdown()
    }

    /// Figures for `/metrics`.
    func families() -> [MetricFamily] {
        let (counts, looks) = (runner.counts, watches.totals)
        func samples(_ value: (DriveTransfer.Direction) -> Double) -> [MetricFamily.Sample] {
            [DriveTransfer.Direction.pull, .push].map { .init(value($0), [("direction", $0.rawValue)]) }
        }
        return [
            MetricFamily(
                "fundmail_drive_transfers_total", .counter, "Transfers between drives and funds that ended.",
                samples { Double(counts.transfers[$0] ?? 0) }),
            MetricFamily(
                "fundmail_drive_files_total", .counter, "Files of these transfers that arrived.",
                samples { Double(counts.files[$0] ?? 0) }),
            MetricFamily(
                "fundmail_drive_failed_files_total", .counter, "Files of these transfers that could not go.",
                samples { Double(counts.failedFiles[$0] ?? 0) }),
            MetricFamily(
                "fundmail_drive_bytes_total", .counter, "Bytes of the files that arrived.",
                samples { Double(counts.bytes[$0] ?? 0) }),
            MetricFamily(
                "fundmail_drive_looks_total", .counter, "Looks at watched folders of drives.",
                [.init(Double(looks.looks))]),
            MetricFamily(
                "fundmail_drive_failed_looks_total", .counter, "Looks at watched folders that failed.",
                [.init(Double(looks.failedLooks))]),
        ]
    }
}

/// Writes to the log what comes of transfers. It names no file: those are people's own.
struct TransferLog: Sendable {
    private let logger = Logger(label: "fundmail.drives")

    func write(_ event: TransferEvent) {
        switch event {
        case .storeFailed(let error):
            logger.warning("no transfer of a drive goes on now: \(CommandError(error).message)")
        case .putOff(let transfer, let error):
            logger.info("transfer \(transfer.id) of user \(transfer.user) is put off: \(error.problem.text)")
        case .ended(let transfer, let state, let progress, let problem, _):
            let why = problem.map { ": \($0.text)" } ?? ""
            logger.info(
                """
                transfer \(transfer.id) of user \(transfer.user): \(state.rawValue)\(why); \(progress.files) files, \
                \(progress.failedFiles) failed
                """)
        }
    }

    func write(_ event: WatchEvent) {
        switch event {
        case .storeFailed(let error):
            logger.warning("no folder of a drive is watched now: \(CommandError(error).message)")
        case .lookFailed(let watch, let error):
            logger.info("watched folder \(watch.id) of user \(watch.user) cannot be looked at: \(error.problem.text)")
        }
    }
}
