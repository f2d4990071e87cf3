internal import ChildProcesses
internal import Glibc
internal import Synchronization

/// Wakes all threads that wait in poll(2), for good.
final class StopMark: Sendable {
    /// Hung up (POLLHUP) from `set` on.
    let descriptor: Int32
    private let writing: Mutex<Int32>

    init() throws(ProcessError) {
        let pipe = try OutputPipe(blocksWriter: true)
        descriptor = pipe.reading
        writing = Mutex(pipe.writing)
    }

    deinit {
        set()
        close(descriptor)
    }

    var isSet: Bool { writing.withLock { $0 < 0 } }

    func set() {
        writing.withLock { writing in
            if writing >= 0 { close(writing) }
            writing = -1
        }
    }
}
