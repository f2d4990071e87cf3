import FundCore
import Ingest
import Logging
import Synchronization
import Terminal

/// Writes to the log what comes of transfers and of watched folders: of which drive, which kind it is, and whose. It
/// names no file: those are people's own.
final class TransferLog: Sendable {
    private enum Event: Sendable {
        case transfer(TransferEvent)
        case watch(WatchEvent)
    }

    /// Events that wait for their drive to be looked up; older ones are dropped, and counted.
    private static let maxWaiting = 1000

    private let logger: Logger
    private let drive: @Sendable (Drive.ID) async -> OwnedDrive?
    private let events: AsyncStream<Event>
    private let waiting: AsyncStream<Event>.Continuation
    /// Events that were dropped since the log last said so.
    private let dropped = Atomic<Int>(0)

    /// - Parameter drive: finds a drive; nil for one that is gone.
    init(
        _ logger: Logger = Logger(label: "fundmail.drives"), drive: @escaping @Sendable (Drive.ID) async -> OwnedDrive?
    ) {
        (self.logger, self.drive) = (logger, drive)
        (events, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maxWaiting))
    }

    /// Never waits.
    func write(_ event: TransferEvent) { add(.transfer(event)) }
    func write(_ event: WatchEvent) { add(.watch(event)) }

    private func add(_ event: Event) {
        if case .dropped = waiting.yield(event) { dropped.add(1, ordering: .relaxed) }
    }

    /// Writes what comes until `end`.
    func run() async {
        for await event in events {
            switch event {
            case .transfer(let event): await log(event)
            case .watch(let event): await log(event)
            }
            let count = dropped.exchange(0, ordering: .relaxed)
            if count > 0 { logger.warning("\(count) lines about drives are left out: they came faster than this log") }
        }
    }

    func end() { waiting.finish() }

    private func log(_ event: TransferEvent) async {
        switch event {
        case .storeFailed(let error):
            logger.warning("no transfer of a drive goes on now: \(CommandError(error).message)")
        case .putOff(let transfer, let error):
            let drive = await name(of: transfer.drive)
            logger.info("transfer \(transfer.id) of \(drive) is put off: \(error.problem.text)")
        case .ended(let transfer, let state, let progress, let problem, _):
            let (drive, why) = (await name(of: transfer.drive), problem.map { ": \($0.text)" } ?? "")
            logger.info(
                """
                transfer \(transfer.id) of \(drive): \(state.rawValue)\(why); \(progress.files) files, \
                \(progress.failedFiles) failed
                """)
        }
    }

    private func log(_ event: WatchEvent) async {
        switch event {
        case .storeFailed(let error):
            logger.warning("no folder of a drive is watched now: \(CommandError(error).message)")
        case .lookFailed(let watch, let error):
            let drive = await name(of: watch.drive)
            logger.info("watched folder \(watch.id) of \(drive) cannot be looked at: \(error.problem.text)")
        }
    }

    /// Names a drive with its number: `drive 3, "Cloud" (webdav) of ann@example.com`.
    private func name(of id: Drive.ID) async -> String {
        guard let owned = await drive(id) else { return "drive \(id)" }
        let (name, kind) = (owned.drive.name, owned.drive.kind.rawValue)
        return TerminalText.clean("drive \(id), \"\(name)\" (\(kind)) of \(owned.owner)")
    }
}
