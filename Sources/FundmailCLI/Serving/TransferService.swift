import FundCore
import FundHTTP
import FundServer
import FundStore
import Ingest
import ServiceLifecycle

/// The transfers between drives and funds beside what else runs.
struct TransferService: Service {
    let runner: TransferRunner
    private let watches: WatchRunner
    private let log: TransferLog

    init(_ drives: any DriveOperations, _ store: FundStore) {
        let limits = TransferLimits(maxFileBytes: ServerLimits().maxUploadBytes)
        let log = TransferLog { [drives = store.drives] in try? await drives.ownedDrive($0) }
        self.log = log
        watches = WatchRunner(
            store.drives, drives, limits: limits, commits: store.library.commits, observe: log.write)
        runner = TransferRunner(
            store.drives, drives, store.library, limits: limits, watches: watches, commits: store.library.commits,
            observe: log.write)
    }

    /// Runs until graceful shutdown. The next process goes on with the transfers under way.
    func run() async throws {
        async let logging: Void = log.run()
        await cancelWhenGracefulShutdown { [runner] in await runner.run() }
        log.end()
        await logging
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
