/// Something that the server needs to work.
package struct HealthCheck: Sendable {
    /// `store`, `disk`, `watchers`. It is public, so it names no user or mailbox.
    package var name: String
    /// What is wrong, for the log; nil when nothing is.
    package var problem: @Sendable () async -> String?

    package init(_ name: String, problem: @escaping @Sendable () async -> String?) {
        self.name = name
        self.problem = problem
    }
}
