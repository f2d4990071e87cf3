internal import Foundation

/// Holds threads until it is opened.
package final class Gate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var isOpen = false  // under the condition's lock

    package init() {}

    package func wait() {
        condition.lock()
        defer { condition.unlock() }
        while !isOpen { condition.wait() }
    }

    package func open() {
        condition.lock()
        defer { condition.unlock() }
        isOpen = true
        condition.broadcast()
    }
}
