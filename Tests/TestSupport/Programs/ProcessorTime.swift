internal import Glibc

/// The processor time that a synchronous `body` costs this thread: how busy the machine is makes no difference.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Text that takes quadratic time where runs of combining marks are sorted.
package func marks(_ count: Int) -> String { "a" + String(repeating: "\u{301}\u{316}", count: count / 2) }
