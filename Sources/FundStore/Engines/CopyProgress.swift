import FundCore
internal import Synchronization

/// The progress of copying all rows of a store.
package struct CopyProgress: Sendable, Hashable {
    /// A part of the work, which is counted by itself.
    package enum Step: String, Sendable {
        case looking, copying, indexing, comparing
    }

    package var step: Step
    /// Rows that are done, of `total`; both are 0 for a step whose end is not known.
    package var done: Int
    package var total: Int
}

/// Counts rows and tells of them now and then.
final class RowCounter: Sendable {
    private static let rowsBetween = 1000

    private let state = Mutex(CopyProgress(step: .looking, done: 0, total: 0))
    private let tell: @Sendable (CopyProgress) -> Void

    init(_ tell: @escaping @Sendable (CopyProgress) -> Void) { self.tell = tell }

    /// Begins a step.
    func begin(_ step: CopyProgress.Step, of total: Int = 0) {
        let progress = CopyProgress(step: step, done: 0, total: total)
        state.withLock { $0 = progress }
        tell(progress)
    }

    /// Counts one row.
    func count() {
        let due: CopyProgress? = state.withLock { state in
            state.done += 1
            return state.done.isMultiple(of: Self.rowsBetween) ? state : nil
        }
        if let due { tell(due) }
    }
}
