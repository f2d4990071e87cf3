import FundCore

/// A mistake in the configuration file, with its place as editors understand it.
struct ConfigurationError: OperationalError, Sendable, Hashable, CustomStringConvertible {
    var file: String
    /// Counted from 1; nil when the file as a whole is meant.
    var line: Int?
    var column: Int?
    /// The path of keys, `mailboxes[0].trust.require`; empty at the top.
    var key: String
    var problem: String

    var condition: ErrorCondition { .configuration }
    var isTemporary: Bool { false }

    var description: String {
        var place = file
        if let line { place += ":\(line)" }
        if let line = column, self.line != nil { place += ":\(line)" }
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
