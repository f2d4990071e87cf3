/// One thing without which the server is of no use.
package struct HealthCheck: Sendable {
    /// `store`, `disk`, `watchers`: nothing about anybody.
    package var name: String
    /// What is wrong, for administrators; nil when nothing is.
    package var problem: @Sendable () async -> String?

    package init(_ name: String, problem: @escaping @Sendable () async -> String?) {
        self.name = name
        self.problem = problem
    }
}
