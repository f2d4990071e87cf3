internal import Glibc

/// Threads for calls that wait for long, as for a child process or another machine.
///
/// A dispatch queue gives no such promise: concurrent ones have as many threads together as there are processors, and
/// serial ones some 255 together. Who waits on those holds up the store and all else that needs one.
package enum OwnThread {
    /// Enough for the system's resolver, and little beside thousands of them.
    private static let stackBytes = 512 << 10

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, which ends with it. Returns false, and runs nothing, when the system gives none.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, work.toOpaque())
        if code != 0 { work.release() }
        return code == 0
    }
}
