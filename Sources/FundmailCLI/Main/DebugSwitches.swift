import Glibc
import Ingest
import Synchronization

/// What crash tests ask of a debug build through the environment. A release build looks at none of it.
///
/// `FUNDMAIL_FAILPOINT=point[:n]` ends the process by SIGKILL when it reaches a `FaultPoint` for the n-th time,
/// `FUNDMAIL_BATCH=n` commits every n messages, so that few messages make many batches, and `FUNDMAIL_POISON=1` makes
/// parse workers honour `X-Fundmail-Poison`.
enum DebugSwitches {
    /// Throws what is wrong with the value: a misspelt point would make every crash test pass.
    static func faults() throws(UnknownFaultPoint) -> FaultInjection {
        #if DEBUG
            guard let value = environment("FUNDMAIL_FAILPOINT") else { return .none }
            let halves = value.split(separator: ":", maxSplits: 1)
            guard let first = halves.first, let point = FaultPoint(rawValue: String(first)),
                let number = halves.count == 1 ? 1 : Int(halves[1]), number > 0
            else { throw UnknownFaultPoint(value: value) }
            let countdown = Countdown(number)
            return FaultInjection { reached in
                if reached == point, countdown.isOver() { kill(getpid(), SIGKILL) }
            }
        #else
            return .none
        #endif
    }

    static func batchLimits() -> BatchLimits {
        var limits = BatchLimits()
        #if DEBUG
            if let number = environment("FUNDMAIL_BATCH").flatMap({ Int($0) }), number > 0 {
                limits.maxMessages = number
            }
        #endif
        return limits
    }

    static var honoursPoison: Bool {
        #if DEBUG
            environment("FUNDMAIL_POISON") == "1"
        #else
            false
        #endif
    }

    struct UnknownFaultPoint: Error, CustomStringConvertible {
        var value: String
        var description: String { "FUNDMAIL_FAILPOINT: there is no fault point \(value)" }
    }

    #if DEBUG
        private final class Countdown: Sendable {
            private let left: Atomic<Int>

            init(_ number: Int) { left = Atomic(number) }

            func isOver() -> Bool { left.subtract(1, ordering: .relaxed).newValue == 0 }
        }

        private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    #endif
}
