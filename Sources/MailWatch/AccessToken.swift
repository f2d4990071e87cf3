import Synchronization

/// A token that is kept until a server refuses it: not every login asks for a new one.
package final class AccessToken: Sendable {
    private let token = Mutex<String?>(nil)
    private let fetch: @Sendable () throws -> String

    package init(fetch: @escaping @Sendable () throws -> String) { self.fetch = fetch }

    /// Blocks while it is fetched.
    package func value(isRefused: Bool) throws -> String {
        if !isRefused, let known = token.withLock({ $0 }) { return known }
        let fresh = try fetch()
        token.withLock { $0 = fresh }
        return fresh
    }
}
