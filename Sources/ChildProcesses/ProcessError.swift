package import FundCore

/// A failure of the operating system to start, confine or reach a child process.
package struct ProcessError: OperationalError, Hashable, CustomStringConvertible {
    package var operation: String
    /// `errno`, see errno(3).
    package var code: Int32

    package init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    package var condition: ErrorCondition { .unavailable }
    package var isTemporary: Bool { true }
    package var description: String { "\(operation): \(SystemText.of(code))" }
}
