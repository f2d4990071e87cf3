/// "Did you mean": the funds whose names are nearest to a tag.
package enum FundSuggestions {
    package static let maxCount = 3

    /// Names of funds, best first: by edit distance of the normal forms (the nearest of name and aliases), then by name.
    package static func nearest(to tag: String, among funds: [Fund]) -> [String] {
        let wanted = Array(FundName.key(tag).unicodeScalars)
        let ranked = funds.map { fund in
            let distances = ([fund.name] + fund.aliases).map {
                distance(wanted, Array(FundName.key($0).unicodeScalars))
            }
            return (name: fund.name, distance: distances.min() ?? .max)
        }
        return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(maxCount).map(\.name)
    }

    /// Levenshtein's distance: insertions, deletions and substitutions.
    static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        guard !a.isEmpty else { return b.count }
        var previous = Array(0...b.count)
        for (row, left) in a.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(b.count + 1)
            for (column, right) in b.enumerated() {
                let substitution = previous[column] + (left == right ? 0 : 1)
                current.append(min(substitution, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[b.count]
    }
}
