internal import Synchronization

/// The memory of bodies of one kind. An origin, such as a network, may have a quarter of what all others leave: the
/// next one finds room.
final class BodyRoom<Origin: Hashable & Sendable>: Sendable {
    private struct State {
        var total = 0
        var ofOrigin: [Origin: Int] = [:]
    }

    private let part = 4
    private let maxBytes: Int
    private let state = Mutex(State())

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    func reserve(_ count: Int, for origin: Origin) -> Bool {
        state.withLock { state in
            let ofOrigin = state.ofOrigin[origin, default: 0]
            let left = maxBytes - state.total + ofOrigin
            guard ofOrigin + count <= left / part else { return false }
            state.total += count
            state.ofOrigin[origin] = ofOrigin + count
            return true
        }
    }

    func release(_ count: Int, of origin: Origin) {
        guard count > 0 else { return }
        state.withLock { state in
            state.total -= count
            let rest = state.ofOrigin[origin, default: 0] - count
            state.ofOrigin[origin] = rest > 0 ? rest : nil
        }
    }
}
