package import FundCore

/// A failure of PostgreSQL, or of the line to it. Texts hold no credentials; values of rows stand in none that this
/// program makes, and in those of the server where it cannot read one.
package struct PostgreSQLError: OperationalError, Sendable, CustomStringConvertible {
    /// The reason of a failure.
    package struct Code: Hashable, Sendable {
        private enum Name: String {
            case address, unreachable, refused, unsuitable, busy, lost, uncertain, conflict, tookTooLong, cancelled
            case lockTimeout, textRefused, full, constraint, planChanged, readOnly, damaged, misuse, other
        }
        private let name: Name

        /// The address or a setting cannot be read.
        package static let address = Code(name: .address)
        /// No server answers, or it starts or stops just now. Nothing was begun.
        package static let unreachable = Code(name: .unreachable)
        /// The server refuses the login (class 28), or has no such database (3D000).
        package static let refused = Code(name: .refused)
        /// The server is too old, or the database has another encoding than UTF-8.
        package static let unsuitable = Code(name: .unsuitable)
        /// No connection was free within the time, or the server has no more of them (53300).
        package static let busy = Code(name: .busy)
        /// The connection ended before COMMIT was sent: nothing of the transaction was kept.
        package static let lost = Code(name: .lost)
        /// The connection ended after COMMIT was sent and before its answer: the transaction was kept, or nothing of
        /// it was.
        package static let uncertain = Code(name: .uncertain)
        /// Transactions met: a serialization failure (40001) or a deadlock (40P01). The transaction can run again.
        package static let conflict = Code(name: .conflict)
        /// A statement or a transaction took longer than it may.
        package static let tookTooLong = Code(name: .tookTooLong)
        /// The task that waited was cancelled.
        package static let cancelled = Code(name: .cancelled)
        /// Another transaction kept a lock for too long (55P03).
        package static let lockTimeout = Code(name: .lockTimeout)
        /// The server takes no such text: a NUL (22P05) or broken UTF-8 (22021).
        package static let textRefused = Code(name: .textRefused)
        /// The server has no room on its disk, or no memory (class 53, 58030).
        package static let full = Code(name: .full)
        /// A constraint of a table does not hold (class 23); `constraint` names it.
        package static let constraint = Code(name: .constraint)
        /// A prepared statement does not fit the schema any more, or is gone. The transaction can run again.
        package static let planChanged = Code(name: .planChanged)
        /// The server takes no writes: a standby, or a transaction that only reads (25006).
        package static let readOnly = Code(name: .readOnly)
        /// Rows or files of the server are damaged (XX001, XX002).
        package static let damaged = Code(name: .damaged)
        /// A mistake in the program: arguments that do not fit, or a transaction within one.
        package static let misuse = Code(name: .misuse)
        package static let other = Code(name: .other)
    }

    package var code: Code
    /// The operation that failed: `connect`, or the first words of a statement.
    package var operation: String
    /// The reason in words, those of the server where it gave one.
    package var message: String
    /// The five characters of the server's code (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    package var state: String?
    /// The constraint that does not hold.
    package var constraint: String?

    package init(
        _ code: Code, _ operation: String, _ message: String, state: String? = nil, constraint: String? = nil
    ) {
        (self.code, self.operation, self.message) = (code, operation, message)
        (self.state, self.constraint) = (state, constraint)
    }

    /// Whether a transaction that failed with it can run again at once, on the same or another connection: nothing of
    /// it was kept.
    package var canRunAgain: Bool { [.conflict, .planChanged, .lost].contains(code) }

    package var isTemporary: Bool {
        [.unreachable, .busy, .lost, .uncertain, .conflict, .planChanged, .lockTimeout, .full].contains(code)
    }

    package var condition: ErrorCondition {
        switch code {
        case .address, .refused, .unsuitable: .configuration
        case .unreachable, .lost, .uncertain, .readOnly: .unavailable
        case .busy, .conflict, .planChanged, .lockTimeout, .tookTooLong, .cancelled: .busy
        case .full: .outOfSpace
        case .textRefused: .input
        default: .storage
        }
    }

    package var description: String {
        "PostgreSQL cannot \(operation): \(message)" + (state.map { " (\($0))" } ?? "")
    }
}
