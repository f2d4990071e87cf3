package import FundCore

/// "Did you mean": the funds whose names are nearest to a tag.
package enum FundSuggestions {
    package static let maxCount = 3

    /// Names, best first: by edit distance of the normal forms (the nearest of name and aliases), then by name.
    package static func nearest(to tag: String, among funds: [Fund]) -> [String] {
        let wanted = Array(FundName.key(tag).unicodeScalars)
        let ranked = funds.map { fund in
            (name: fund.name, distance: distance(from: wanted, to: fund))
        }
        return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(maxCount).map(\.name)
    }

    /// From the normal form of a tag to that of the name or alias which is nearest.
    static func distance(from wanted: [Unicode.Scalar], to fund: Fund) -> Int {
        let names = [fund.name] + fund.aliases
        return names.map { EditDistance.between(wanted, Array(FundName.key($0).unicodeScalars)) }.min() ?? .max
    }
}

/// "Did you mean": the known name that is nearest to a mistyped one.
package enum NearestName {
    /// Nil when none is near, that is when more than a third of the letters differ.
    package static func of(_ word: String, among names: [String]) -> String? {
        let written = Array(word.lowercased().replacing("-", with: "_"))
        guard !written.isEmpty, written.count <= 100 else { return nil }
        let best = names.map { (name: $0, distance: EditDistance.between(written, Array($0.lowercased()))) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, max(written.count, best.name.count) / 3) else { return nil }
        return best.name
    }
}

/// Levenshtein's distance: how many insertions, deletions and substitutions lead from one text to another.
enum EditDistance {
    /// With one row of memory.
    static func between<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let cost = min(row[j] + 1, row[j + 1] + 1, diagonal + (left == right ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[b.count]
    }
}
