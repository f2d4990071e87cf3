/// Names for files whose own name is taken.
package enum NumberedName {
    /// The next name after those that were taken: `report.pdf`, `report(1).pdf` …; its stem is cut where it would be
    /// too long.
    /// - Parameter number: how many are taken.
    package static func name(_ name: String, number: Int) -> String {
        guard number > 0 else { return name }
        let (stem, end) = SyncName.split(name)
        let suffix = "(\(number))\(end)"
        var short = stem
        while short.utf8.count + suffix.utf8.count > SyncName.maxBytes, !short.isEmpty { short.removeLast() }
        return short + suffix
    }
}
