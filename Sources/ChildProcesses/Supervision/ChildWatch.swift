internal import CLinux
internal import Glibc

/// Watchdog of a child at one piece of work: by the wall clock, and by the processor time of all its threads.
package struct ChildWatch {
    /// Interval of looks at the processor time; the first costs work that is not slow nothing.
    private static let checkMilliseconds: Int32 = 1000

    private let pid: pid_t
    private let seconds: Double
    private let deadline: Double
    /// When this process looked last, by the monotonic clock.
    private var lookedAt: Double
    /// The child's clock, and what it said at the first look: at most a check's time late.
    private var processor: (clock: clockid_t, usedBefore: Double, since: Double)?

    package init(_ child: ChildHandle, seconds: Double) {
        pid = child.pid
        self.seconds = seconds
        lookedAt = Self.now(CLOCK_MONOTONIC)
        deadline = lookedAt + seconds
    }

    /// The time that was given is over.
    package struct Expiry: Error {
        /// `3 s`, or `3 s of processor time`.
        package var text: String
        /// Whether the child got little processor time meanwhile, or this process did not look for long: they were
        /// frozen, or the machine slept, and the work is not to blame.
        package var wasFrozen = false
    }

    /// Seconds between two looks after which this process was frozen, too.
    private static let longestGap = 5.0
    /// Share of its time that a child uses of the processor unless it is frozen or waits.
    private static let leastShare = 0.5

    /// Milliseconds for poll(2) until the next look at the child. Throws when its time is up.
    package mutating func nextCheck() throws(Expiry) -> Int32 {
        let now = Self.now(CLOCK_MONOTONIC)
        let (left, gap) = (deadline - now, now - lookedAt)
        lookedAt = now
        guard left > 0 else {
            let share = processor.map { (Self.now($0.clock) - $0.usedBefore) / (now - $0.since) }
            let isIdle = share.map { $0 < Self.leastShare } ?? false
            throw Expiry(text: text, wasFrozen: isIdle || gap > Self.longestGap)
        }
        if let processor {
            guard Self.now(processor.clock) - processor.usedBefore <= seconds else {
                throw Expiry(text: "\(text) of processor time")
            }
        } else if left <= seconds - Double(Self.checkMilliseconds) / 1000 {
            var clock = clockid_t()
            if clock_getcpuclockid(pid, &clock) == 0 { processor = (clock, Self.now(clock), now) }
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
