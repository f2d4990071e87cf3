internal import Glibc
import Ingest

/// Watches how long a child takes for one message: by the wall clock, and by the processor time of all its threads.
struct ChildWatch {
    /// Processor time is looked at this often; it costs a message that is not slow nothing.
    private static let checkMilliseconds: Int32 = 1000

    private let seconds: Double
    private let deadline: Double
    private let clock: clockid_t?
    private let usedBefore: Double

    init(pid: pid_t, seconds: Double) {
        self.seconds = seconds
        deadline = Self.now(CLOCK_MONOTONIC) + seconds
        var clock = clockid_t()
        self.clock = clock_getcpuclockid(pid, &clock) == 0 ? clock : nil
        usedBefore = self.clock.map(Self.now) ?? 0
    }

    /// Milliseconds for poll(2) until the next look at the child. Throws when its time is up.
    func nextCheck() throws(ChildFailure) -> Int32 {
        let left = deadline - Self.now(CLOCK_MONOTONIC)
        guard left > 0 else { throw .message("the parser was stopped after \(text)") }
        if let clock, Self.now(clock) - usedBefore > seconds {
            throw .message("the parser was stopped after \(text) of processor time")
        }
        return min(Int32((left * 1000).rounded(.up)), Self.checkMilliseconds)
    }

    private var text: String { "\(Int(seconds.rounded(.up))) s" }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
