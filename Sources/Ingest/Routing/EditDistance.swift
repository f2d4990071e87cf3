package import FundCore

/// Levenshtein's distance: how many insertions, deletions and substitutions lead from one text to another.
package enum EditDistance {
    /// With one row of memory.
    package static func between<Letter: Equatable>(_ a: [Letter], _ b: [Letter]) -> Int {
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
