package import FundCore

/// A failure of the parent, not of a message.
package struct ParserError: OperationalError, Sendable, CustomStringConvertible {
    /// What failed
    package struct Code: Sendable, Hashable {
        private enum Name: Hashable { case cannotStart, cannotRead, changed, closed }
        private let name: Name
        /// No child can be started.
        package static let cannotStart = Code(name: .cannotStart)
        /// The message or the pack cannot be read.
        package static let cannotRead = Code(name: .cannotRead)
        /// What is on disk is not what was written there.
        package static let changed = Code(name: .changed)
        /// The pool was shut down.
        package static let closed = Code(name: .closed)
    }

    package var code: Code
    package var description: String
    package var condition: ErrorCondition { code == .cannotStart ? .unavailable : .storage }
    package var isTemporary: Bool { true }

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
