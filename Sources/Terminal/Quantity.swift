/// Sizes, durations and counts as people write and read them.
package enum Quantity {
    private static let byteUnits: [String: Int64] = [
        "": 1, "B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
        "K": 1024, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
        "KIB": 1024, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40,
    ]
    private static let secondUnits: [String: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]
    private static let shownUnits = ["B", "kB", "MB", "GB", "TB", "PB"]

    /// Reads bytes: `100MB` is 10⁸, `100MiB` and `100M` are 100 · 2²⁰. Nil for anything else.
    package static func bytes(_ text: String) -> Int64? { number(text) { byteUnits[$0.uppercased()] } }

    /// Reads seconds: `90s`, `5m`, `1h`, `7d`, `2w`. The unit must be there. Nil for anything else.
    package static func seconds(_ text: String) -> Int? { number(text) { secondUnits[$0.lowercased()] } }

    /// `850 B`, `3.4 MB`: up to three digits and a decimal unit.
    package static func display(bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        while value >= 999.5, unit < shownUnits.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(value < 9.95 ? oneDecimal(value) : "\(Int(value.rounded()))") \(shownUnits[unit])"
    }

    /// `3.4`.
    package static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// `8 s`, `3 min 20 s`, `2 h 5 min`.
    package static func display(seconds: Double) -> String {
        let seconds = max(0, Int(min(seconds, 1e9).rounded(.up)))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
        default: return "\(seconds / 3600) h" + (seconds % 3600 / 60 == 0 ? "" : " \(seconds % 3600 / 60) min")
        }
    }

    /// `90s`, `5m`: seconds as a configuration writes them, in the largest unit that leaves no rest.
    package static func setting(seconds: Int) -> String {
        let units = secondUnits.sorted { $0.value > $1.value }
        let unit = units.first { seconds > 0 && seconds % $0.value == 0 }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "\(seconds)s"
    }

    /// `now`, `5 min`, `3 h`, `8 d`: an age in its largest unit.
    package static func display(age: Duration) -> String {
        let seconds = max(age.components.seconds, 0)
        return switch seconds {
        case ..<60: "now"
        case ..<3600: "\(seconds / 60) min"
        case ..<86400: "\(seconds / 3600) h"
        default: "\(seconds / 86400) d"
        }
    }

    /// `3 files`, `1 file`.
    package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func number<Number: FixedWidthInteger>(_ text: String, _ unit: (String) -> Number?) -> Number? {
        let trimmed = text.drop(while: \.isWhitespace)
        let digits = trimmed.prefix { $0.isASCII && $0.isNumber }
        let name = trimmed.dropFirst(digits.count).filter { !$0.isWhitespace }
        guard let number = Number(digits), let factor = unit(String(name)) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}
