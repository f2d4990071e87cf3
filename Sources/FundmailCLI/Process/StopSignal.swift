import Dispatch
import Glibc
import Synchronization
import Terminal

/// SIGINT and SIGTERM: the first asks the run to end after what it has begun, the second ends it at once. At any moment
/// the store is as if the remaining messages had not been offered yet.
final class StopSignal: Sendable {
    /// `timeout` and some shells send the same signal to the process and to its group: these are one.
    private static let repetition = Duration.milliseconds(500)
    /// Stands for the number of a signal where the run was ended from inside.
    private static let fromInside: Int32 = -1

    private let received = Atomic<Int32>(0)
    private let firstTime = Mutex<ContinuousClock.Instant?>(nil)
    /// Called once each, from the thread that takes signals or that called `stop`; nil after they were.
    private let actions: Mutex<[@Sendable () -> Void]?>
    private let isQuiet: Bool

    /// - Parameters:
    ///   - numbers: the signals.
    ///   - isQuiet: nothing is said to the terminal; `onStop` tells.
    init(
        _ numbers: [Int32] = [SIGINT, SIGTERM], isQuiet: Bool = false, onStop: @escaping @Sendable () -> Void = {}
    ) {
        actions = Mutex([onStop])
        self.isQuiet = isQuiet
        let queue = DispatchQueue(label: "fundmail.signals")
        for number in numbers {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // The handler keeps the source, and the source this: both last as long as the process, which makes one.
            source.setEventHandler { [self] in
                withExtendedLifetime(source) { take(number) }
            }
            source.resume()
        }
    }

    /// The number of the signal that came, negative for a stop from inside, 0 for none.
    var number: Int32 { received.load(ordering: .relaxed) }
    var isReceived: Bool { number != 0 }

    /// Has `action` called once when the run is to end: at once where it is already.
    func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isWaiting = actions.withLock { actions in
            actions?.append(action)
            return actions != nil
        }
        if !isWaiting { action() }
    }

    /// Ends the run from inside, without a signal.
    func stop() {
        if received.compareExchange(expected: 0, desired: Self.fromInside, ordering: .relaxed).exchanged { act() }
    }

    private func act() {
        let actions = actions.withLock { actions in
            defer { actions = nil }
            return actions ?? []
        }
        for action in actions { action() }
    }

    private func take(_ number: Int32) {
        // A signal after a stop from inside is the first: that stop is under way.
        let isFirst = [0, Self.fromInside].contains {
            received.compareExchange(expected: $0, desired: number, ordering: .relaxed).exchanged
        }
        let since = firstTime.withLock { time in
            defer { time = time ?? .now }
            return time.map { .now - $0 }
        }
        if !isFirst {
            if let since, since < Self.repetition { return }
            _exit(128 + number)
        }
        act()
        if isQuiet { return }
        if Console.errorIsTerminal { Console.error("\n") }
        Console.warn("finishing what was begun; once more to stop at once")
    }
}
