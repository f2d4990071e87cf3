internal import Glibc
package import NIOCore
internal import NIOPosix

/// Settings of the process that serves.
package enum ServingProcess {
    /// Sets the number of threads for blocking calls and the limit of descriptors. Call it once, at the start.
    package static func prepare() {
        NIOSingletons.blockingPoolThreadCountSuggestion = max(8, NIOSingletons.groupLoopCountSuggestion)
        raiseDescriptorLimit()
    }

    /// Raises this process's limit of open descriptors to the hard limit (getrlimit(2)).
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Whether the error says that the address cannot be listened on: in use, not of this machine, or not permitted.
    package static func cannotListen(_ error: any Error) -> Bool { error is IOError || error is SocketAddressError }

    /// The port on which a listening channel listens; 0 for a Unix socket.
    package static func port(of channel: any Channel) -> Int { channel.localAddress?.port ?? 0 }
}
