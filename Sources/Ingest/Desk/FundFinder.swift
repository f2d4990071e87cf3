internal import FundCore

/// Finds funds of all users by what an administrator types.
struct FundFinder {
    let directory: RoutingDirectory

    /// Those in whose name, alias, owner's name or address each of the words stands. A fund whose name begins with the
    /// first word comes first; then by name and owner.
    func funds(matching text: String, most: Int) -> [(fund: Fund, owner: User)] {
        let words = text.split(whereSeparator: \.isWhitespace).map { FundName.key(String($0)) }
        let found = directory.funds.compactMap { fund -> (fund: Fund, owner: User, key: String)? in
            guard let owner = directory.user(fund.owner) else { return nil }
            let key = FundName.key(fund.name)
            let texts = [key] + (fund.aliases + [owner.email, owner.name ?? ""]).map(FundName.key)
            guard words.allSatisfy({ word in texts.contains { $0.contains(word) } }) else { return nil }
            return (fund, owner, key)
        }
        func isFirst(_ key: String) -> Bool { words.first.map(key.hasPrefix) ?? false }
        return found.sorted {
            (isFirst($0.key) ? 0 : 1, $0.key, $0.owner.email) < (isFirst($1.key) ? 0 : 1, $1.key, $1.owner.email)
        }.prefix(most).map { ($0.fund, $0.owner) }
    }
}
