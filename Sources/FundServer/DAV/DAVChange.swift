internal import FundCore

extension WebDAV {
    /// Runs a change. No other request over WebDAV changes what it is about between its checks (locks, conditions,
    /// taken names) and its end: a request in another fund goes on, one in the same fund waits.
    ///
    /// - Parameters:
    ///   - destination: the path to which the request copies or moves.
    ///   - known: the resource of the request's path as it was a moment ago, which saves a question.
    ///   - change: looks the resources up by itself, since they may have changed while the request waited.
    func changing<Value>(
        _ call: DAVCall, to destination: DAVPath? = nil, at known: DAVResource? = nil,
        _ change: () async throws -> sending Value
    ) async throws -> sending Value {
        var known = known
        while true {
            let scopes = try await scopes(of: call, destination, known)
            known = nil
            let value = try await changes.withLocks(for: scopes) { () async throws -> sending Value? in
                // While the request waited, a fund may have been given the name of another.
                guard try await self.scopes(of: call, destination).isSubset(of: scopes) else { return nil }
                return try await change()
            }
            if let value { return value }
        }
    }

    /// The scopes in which a request may change something, or asks for the state of something.
    private func scopes(
        of call: DAVCall, _ destination: DAVPath?, _ known: DAVResource? = nil
    ) async throws -> Set<ChangeScope> {
        var scopes: Set<ChangeScope> = []
        for path in [call.path] + [destination].compactMap({ $0 }) {
            if path.names.isEmpty {
                // A lock on the root may hold for all that is below it.
                scopes.formUnion(try await library.funds(of: call.user.id).map { .fund($0.id) })
            }
            let fund = path == known?.path ? known?.fund : try await fund(of: path, call.user)
            scopes.formUnion(self.scopes(of: path, fund, call.user))
        }
        for path in call.conditionalPaths {
            scopes.formUnion(self.scopes(of: path, try await fund(of: path, call.user), call.user))
        }
        return scopes
    }

    /// The fund of a path. The list of funds, too, where the path is about that, and where its fund is not there:
    /// another request might make it.
    private func scopes(of path: DAVPath, _ fund: Fund.ID?, _ user: User) -> Set<ChangeScope> {
        guard let fund else { return [.root(user.id)] }
        return path.names.count > 1 ? [.fund(fund)] : [.root(user.id), .fund(fund)]
    }

    /// The whole path is looked up, since the change itself asks for it next.
    private func fund(of path: DAVPath, _ user: User) async throws -> Fund.ID? {
        try await resource(at: path, of: user).fund
    }
}
