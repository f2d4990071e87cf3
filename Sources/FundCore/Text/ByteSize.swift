/// Sizes for people.
package enum ByteSize {
    private static let units = ["B", "KB", "MB", "GB", "TB"]

    /// `850 B`, `1.3 MB`: decimal units, two digits at least.
    package static func text(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        let digits = value < 9.95 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
        return "\(digits) \(units[unit])"
    }
}
