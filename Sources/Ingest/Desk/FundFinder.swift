internal import FundCore

/// Finds funds of all users by what an administrator types.
struct FundFinder {
    let directory: RoutingDirectory

    /// Funds in whose name or an alias each of the words stands, and behind them those that are found by their owner's
    /// name, too, or by what stands before the `@` of the owner's address: its domain would find all. A fund whose name
    /// begins with the first word comes first; then by name and owner.
    func funds(matching text: String, most: Int) -> [(fund: Fund, owner: User)] {
        let words = text.split(whereSeparator: \.isWhitespace).map { FundName.key(String($0)) }
        let found = directory.funds.compactMap { fund -> (fund: Fund, owner: User, rank: Int, key: String)? in
            guard let owner = directory.user(fund.owner) else { return nil }
            let key = FundName.key(fund.name)
            let names = [key] + fund.aliases.map(FundName.key)
            func stand(in texts: [String]) -> Bool {
                words.allSatisfy { word in texts.contains { $0.contains(word) } }
            }
            if stand(in: names) {
                let isFirst = words.first.map(key.hasPrefix) ?? false
                return (fund, owner, isFirst ? 0 : 1, key)
            }
            // With the `@`, so that an address may be typed up to there.
            let local = owner.email.prefix { $0 != "@" } + "@"
            guard stand(in: names + [String(local), owner.name ?? ""].map(FundName.key)) else { return nil }
            return (fund, owner, 2, key)
        }
        return found.sorted { ($0.rank, $0.key, $0.owner.email) < ($1.rank, $1.key, $1.owner.email) }
            .prefix(most).map { ($0.fund, $0.owner) }
    }
}
