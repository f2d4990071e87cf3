internal import Synchronization

/// How far the files of a run were when their transfers went on. A cut connection that left more bytes than the one
/// before is progress: the run is not given up.
final class ResumePoints: Sendable {
    private struct State {
        var offsets: [String: Int64] = [:]
        var hasGrown = false
    }

    private let state = Mutex(State())

    func note(_ path: String, _ offset: Int64) {
        if offset == 0 { return }
        state.withLock { state in
            guard offset > state.offsets[path] ?? 0 else { return }
            state.offsets[path] = offset
            state.hasGrown = true
        }
    }

    /// Whether a transfer went on from further than before, since this was asked last.
    func hasGrown() -> Bool {
        state.withLock { state in
            defer { state.hasGrown = false }
            return state.hasGrown
        }
    }
}
