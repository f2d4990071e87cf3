import Synchronization

/// A switch that several threads see; it can only be raised.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isRaised: Bool { value.load(ordering: .sequentiallyConsistent) }

    /// True for the one caller who raised it.
    @discardableResult
    package func raise() -> Bool { !value.exchange(true, ordering: .sequentiallyConsistent) }
}
