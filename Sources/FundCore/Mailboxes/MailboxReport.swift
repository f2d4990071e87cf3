/// The state of a mailbox as administrators see it.
package struct MailboxReport: Sendable, Hashable {
    /// The state in one word.
    package enum Condition: String, Sendable, CaseIterable {
        case ok
        case failing
        case neverPolled = "never_polled"
        /// The store remembers it, the configuration does not name it.
        case notConfigured = "not_configured"

        init(_ state: MailboxState) {
            self = state.lastAttemptAt == nil ? .neverPolled : state.consecutiveFailures > 0 ? .failing : .ok
        }
    }

    package var state: MailboxState
    package var condition: Condition
    /// Certificate of its server; nil when no connection saw one.
    package var certificate: SeenCertificate?
    /// Token of its last login; nil when no login used an access token.
    package var token: SeenToken?

    /// Configured mailboxes and remembered ones, side by side: in the order of the configuration, then those that are
    /// no longer in it, by name.
    ///
    /// - Parameter configured: nil when it is not known which are: then none counts as `notConfigured`.
    package static func all(configured: [String]?, states: [MailboxState]) -> [MailboxReport] {
        let names = configured ?? []
        let known = names.map { name in states.first { $0.name == name } ?? MailboxState(name: name) }
        let others = states.filter { !names.contains($0.name) }.sorted { $0.name < $1.name }
        return known.map { MailboxReport(state: $0, condition: Condition($0)) }
            + others.map { MailboxReport(state: $0, condition: configured == nil ? Condition($0) : .notConfigured) }
    }
}
