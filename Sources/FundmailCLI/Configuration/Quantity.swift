/// Sizes and times as people write them.
enum Quantity {
    private static let byteUnits: [String: Int64] = [
        "": 1, "B": 1, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000,
        "K": 1024, "M": 1 << 20, "G": 1 << 30, "KIB": 1024, "MIB": 1 << 20, "GIB": 1 << 30,
    ]

    private static let secondUnits: [String: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]

    /// Bytes: `100MB` is 10⁸, `100MiB` and `100M` are 100 · 2²⁰. Nil for anything else.
    static func bytes(_ text: String) -> Int64? { number(text) { byteUnits[$0.uppercased()] } }

    /// Seconds: `90s`, `5m`, `1h`, `7d`, `2w`. The unit must be there. Nil for anything else.
    static func seconds(_ text: String) -> Int? { number(text) { secondUnits[$0.lowercased()] } }

    /// Bytes for people: three digits and a decimal unit.
    static func display(bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(value < 9.95 ? oneDecimal(value) : "\(Int(value.rounded()))") \(units[unit])"
    }

    /// `3.4`, without Foundation's formatters.
    static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// As people would write it in a configuration: the largest unit that leaves no rest.
    static func display(seconds: Int) -> String {
        let units = secondUnits.sorted { $0.value > $1.value }
        let unit = units.first { seconds > 0 && seconds % $0.value == 0 }
        return unit.map { "\(seconds / $0.value)\($0.key)" } ?? "\(seconds)s"
    }

    /// An age for people: its largest unit.
    static func display(age: Duration) -> String {
        let seconds = max(age.components.seconds, 0)
        return switch seconds {
        case ..<60: "now"
        case ..<3600: "\(seconds / 60) min"
        case ..<86400: "\(seconds / 3600) h"
        default: "\(seconds / 86400) d"
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String, _ unit: (String) -> Number?) -> Number? {
        let trimmed = text.trimmingPrefix(while: \.isWhitespace)
        let digits = trimmed.prefix { $0.isASCII && $0.isNumber }
        let name = trimmed.dropFirst(digits.count).filter { !$0.isWhitespace }
        guard let number = Number(digits), let factor = unit(String(name)) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}
