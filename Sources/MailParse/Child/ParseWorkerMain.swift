import CLinux
internal import Glibc

/// The child's side of the pool: what `fundmail parse-worker` runs.
package enum ParseWorkerMain {
    package static let command = "parse-worker"

    /// The stack on which GMime runs. It is set here and not left to `ulimit -s`, which may differ for this process.
    /// GMime recurses for each nested group of an address field and each level of MIME; what passes the scan before it
    /// needs less than 1 MiB.
    static let stackBytes = 16 << 20

    /// Serves requests until the parent goes away. Returns the exit status when it cannot.
    package static func run() -> Int32 {
        guard ChildLimits.apply() else { return 71 }  // EX_OSERR of sysexits.h
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        guard pthread_attr_setstacksize(&attributes, stackBytes) == 0 else { return 71 }
        var thread = pthread_t()
        let serve: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
            var loop = RequestLoop()
            exit(loop.run())
        }
        guard pthread_create(&thread, &attributes, serve, nil) == 0 else { return 71 }
        waitForParentToGo()
    }

    /// This thread ends the process as soon as the parent is gone, even while the other hangs in a message.
    /// (PR_SET_PDEATHSIG would not do: it fires when the thread that started this process ends, and dispatch ends idle
    /// threads.)
    private static func waitForParentToGo() -> Never {
        let hungUp = Int16(0x2000)  // POLLRDHUP, which glibc shows only under _GNU_SOURCE
        while true {
            var socket = pollfd(fd: 0, events: hungUp, revents: 0)
            let count = poll(&socket, 1, -1)
            if count > 0 { _exit(0) }
            if count < 0, errno != EINTR { _exit(71) }
        }
    }
}
