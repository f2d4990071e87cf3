package import FundCore

/// "Did you mean": the funds whose names are nearest to a tag.
package enum FundSuggestions {
    package static let maxCount = 3

    /// Names that are near, best first: by edit distance of the normal forms (the nearest of name and aliases), then by
    /// name. None is near when more than a third of the letters differ, unless one of both stands in the other.
    package static func nearest(to tag: String, among funds: [Fund]) -> [String] {
        let wanted = Array(FundName.key(tag).unicodeScalars)
        let ranked = funds.compactMap { fund -> (name: String, distance: Int)? in
            isNear(wanted, fund) ? (fund.name, distance(from: wanted, to: fund)) : nil
        }
        return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(maxCount).map(\.name)
    }

    /// Letters of a name that stands in a tag, or the other way round: fewer stand in many words.
    private static let minShared = 3

    private static func isNear(_ wanted: [Unicode.Scalar], _ fund: Fund) -> Bool {
        ([fund.name] + fund.aliases).contains { name in
            let name = Array(FundName.key(name).unicodeScalars)
            let (longer, shorter) = name.count < wanted.count ? (wanted, name) : (name, wanted)
            if shorter.count >= minShared, longer.firstRange(of: shorter) != nil { return true }
            // `[Alhpa]` for “Alpha Fund”: as many words as the tag has.
            let words = wanted.split(separator: " ").count
            let beginning = Array(name.split(separator: " ").prefix(words).joined(separator: [" "]))
            return isNear(wanted, name) || isNear(wanted, beginning)
        }
    }

    /// Two letters that changed places count as two.
    private static func isNear(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Bool {
        let count = max(a.count, b.count)
        return EditDistance.between(a, b) <= max(count > minShared ? 2 : 1, count / 3)
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
