/// The users, addresses and funds, but archived ones, that routing looks up: a snapshot, so that it is a pure function.
package struct RoutingDirectory: Sendable {
    private let users: [User.ID: User]
    private let owners: [EmailAddress: User.ID]
    private let fundsByOwner: [User.ID: [Fund]]
    /// By owner and the normal form of a name or alias. Two funds under one name is an ambiguity for routing to report.
    private let fundsByKey: [User.ID: [String: [Fund]]]
    private let answered: Set<EmailAddress>

    /// - Parameter answered: those of the addresses from which mail is answered although nothing proves the sender.
    package init(
        users: [User], addresses: [(address: EmailAddress, user: User.ID)], funds: [Fund],
        answered: Set<EmailAddress> = []
    ) {
        self.answered = answered
        self.users = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
        self.owners = Dictionary(addresses.map { ($0.address, $0.user) }) { first, _ in first }
        self.fundsByOwner = Dictionary(grouping: funds, by: \.owner)
        self.fundsByKey = fundsByOwner.mapValues { funds in
            funds.reduce(into: [:]) { result, fund in
                for key in Set(([fund.name] + fund.aliases).map(FundName.key)) { result[key, default: []].append(fund) }
            }
        }
    }

    /// The user to whom `address` is registered, as it is or without its `+detail`.
    package func user(for address: EmailAddress, subaddressSeparator: String) -> User? {
        let id = owners[address] ?? owners[address.withoutSubaddress(separator: subaddressSeparator)]
        return id.flatMap { users[$0] }
    }

    package func user(_ id: User.ID) -> User? { users[id] }

    /// Whether an administrator said that mail from this very address is answered although nothing proves the sender.
    package func isAnswered(_ address: EmailAddress) -> Bool { answered.contains(address) }

    package func funds(of user: User.ID) -> [Fund] { fundsByOwner[user] ?? [] }

    /// Funds of all users.
    package var funds: some Sequence<Fund> { fundsByOwner.values.lazy.joined() }

    /// Funds of all users with these ids. Looks at each fund.
    package func funds(with ids: Set<Fund.ID>) -> [Fund] {
        ids.isEmpty ? [] : funds.filter { ids.contains($0.id) }
    }

    /// The funds of all users whose name or alias has this normal form.
    package func funds(matching key: String) -> [Fund] { fundsByKey.values.flatMap { $0[key] ?? [] } }

    /// The funds of `user` whose name or alias has this normal form, see `FundName.key`.
    package func funds(of user: User.ID, matching key: String) -> [Fund] { fundsByKey[user]?[key] ?? [] }
}
