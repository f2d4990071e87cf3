package import FundCore

/// "Did you mean": the funds whose names are nearest to a tag.
package enum FundSuggestions {
    package static let maxCount = 3

    /// Names of funds, best first: by edit distance of the normal forms (the nearest of name and aliases), then by name.
    package static func nearest(to tag: String, among funds: [Fund]) -> [String] {
        let wanted = Array(FundName.key(tag).unicodeScalars)
        let ranked = funds.map { fund in
            let distances = ([fund.name] + fund.aliases).map {
                EditDistance.between(wanted, Array(FundName.key($0).unicodeScalars))
            }
            return (name: fund.name, distance: distances.min() ?? .max)
        }
        return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(maxCount).map(\.name)
    }
}
