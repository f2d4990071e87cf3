import Dispatch
import Glibc
import Synchronization
import Terminal

/// SIGINT and SIGTERM: the first asks the run to end after what it has begun, the second ends it at once. At any moment
/// the store is as if the remaining messages had not been offered yet.
final class StopSignal: Sendable {
    /// `timeout` and some shells send the same signal to the process and to its group: these are one.
    private static let repetition = Duration.milliseconds(500)

    private let received = Atomic<Int32>(0)
    private let firstTime = Mutex<ContinuousClock.Instant?>(nil)
    /// Called once, from the thread that takes signals or that called `stop`.
    private let onStop: @Sendable () -> Void
    private let isQuiet: Bool

    /// - Parameter isQuiet: nothing is said to the terminal; `onStop` tells.
    init(isQuiet: Bool = false, onStop: @escaping @Sendable () -> Void = {}) {
        self.onStop = onStop
        self.isQuiet = isQuiet
        let queue = DispatchQueue(label: "fundmail.signals")
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // The handler keeps the source, and the source this: both last as long as the process, which makes one.
            source.setEventHandler { [self] in
                withExtendedLifetime(source) { take(number) }
            }
            source.resume()
        }
    }

    /// The number of the signal that came, 0 for none.
    var number: Int32 { received.load(ordering: .relaxed) }
    var isReceived: Bool { number != 0 }

    /// Ends the run from inside, without a signal.
    func stop() {
        if received.compareExchange(expected: 0, desired: -1, ordering: .relaxed).exchanged { onStop() }
    }

    private func take(_ number: Int32) {
        let isFirst = received.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged
        let since = firstTime.withLock { time in
            defer { time = time ?? .now }
            return time.map { .now - $0 }
        }
        if !isFirst {
            if let since, since < Self.repetition { return }
            _exit(128 + number)
        }
        onStop()
        if isQuiet { return }
        if Console.errorIsTerminal { Console.error("\n") }
        Console.warn("finishing what was begun; once more to stop at once")
    }
}
