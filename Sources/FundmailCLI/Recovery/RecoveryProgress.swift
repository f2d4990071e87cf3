import FundCore
import Ingest
import Synchronization

/// The line on a terminal that shows how far a recovery is.
final class RecoveryProgress: Sendable {
    private let isShown = Console.errorIsTerminal
    private let run = Mutex(RunProgress())

    @Sendable
    func take(_ event: IngestEvent) {
        run.withLock { run in
            run.count(event)
            run.show()
        }
    }

    func show(_ text: String) {
        if isShown { Console.error("\r\u{1B}[K\(text)") }
    }

    func clear() {
        if isShown { Console.error("\r\u{1B}[K") }
    }
}
