internal import Synchronization

/// Contents whose thumbnail has come, or cannot be made: what lists said of them before is out of date.
package final class PreviewNews: Sendable {
    /// Who is behind by more learns of the latest alone.
    private static let maxKept = 1000

    private struct State {
        /// Number of contents ever noted.
        var count = 0
        /// The latest of them.
        var contents: [ContentDigest] = []
    }

    /// Raised with each.
    package let signal = Signal()
    private let state = Mutex(State())

    package init() {}

    package func note(_ content: ContentDigest) {
        state.withLock { state in
            if state.contents.count >= 2 * Self.maxKept { state.contents.removeFirst(Self.maxKept) }
            state.contents.append(content)
            state.count += 1
        }
        signal.raise()
    }

    /// Number of contents noted until now.
    package var count: Int { state.withLock { $0.count } }

    /// Contents noted after the first `known`, each once, and the number noted until now.
    package func contents(after known: Int) -> (contents: Set<ContentDigest>, count: Int) {
        state.withLock { state in
            let fresh = min(max(state.count - known, 0), Self.maxKept)
            return (Set(state.contents.suffix(fresh)), state.count)
        }
    }
}
