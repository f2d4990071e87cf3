/// "Did you mean": the known word that is nearest to what was written.
enum NearestName {
    /// Nil when none is near: more than a third of the letters would have to change.
    static func of(_ word: String, among names: [String]) -> String? {
        let written = Array(word.lowercased().replacing("-", with: "_"))
        guard !written.isEmpty, written.count <= 100 else { return nil }
        let best = names.map { (name: $0, distance: distance(written, Array($0.lowercased()))) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, max(written.count, best.name.count) / 3) else { return nil }
        return best.name
    }

    /// Levenshtein's, with one row of memory.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
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
