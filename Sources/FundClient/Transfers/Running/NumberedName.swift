/// Names for files whose own name is taken.
package enum NumberedName {
    /// Longest name in most file systems.
    private static let maxBytes = 255

    /// The next name after those that were taken: `report.pdf`, `report(1).pdf` …; its stem is cut where it would be
    /// too long.
    /// - Parameter number: how many are taken.
    package static func name(_ name: String, number: Int) -> String {
        guard number > 0 else { return name }
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
        let (stem, end) = (dot.map { name[..<$0] } ?? name[...], dot.map { name[$0...] } ?? "")
        let suffix = "(\(number))\(end)"
        var short = stem
        while short.utf8.count + suffix.utf8.count > maxBytes, !short.isEmpty { short.removeLast() }
        return short + suffix
    }
}
