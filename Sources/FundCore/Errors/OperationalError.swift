/// An error that says what it means to a caller who may try again, and to the exit status of a command.
package protocol OperationalError: Error {
    /// The kind of failure, for exit statuses.
    var condition: ErrorCondition { get }
    /// True when the call may succeed later without a person's help.
    var isTemporary: Bool { get }
}

/// Kinds of failures that exit statuses and pauses between retries tell apart.
package enum ErrorCondition: Sendable, Hashable {
    /// The input cannot be read, or names something that does not exist or is not allowed.
    case input
    case configuration
    /// A server or a helper process cannot be reached or refuses.
    case unavailable
    /// Something is in use, or a server asks for a pause.
    case busy
    /// The disk is full, or a quota or a file size limit is reached.
    case outOfSpace
    /// The store or the spool cannot be read or written.
    case storage
}
