internal import Foundation

/// Numbers with units for people.
enum Quantity {
    private static let units = ["B", "kB", "MB", "GB", "TB", "PB"]

    /// `850 B`, `3.4 MB`.
    static func display(bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(value < 9.95 ? oneDecimal(value) : "\(Int(value.rounded()))") \(units[unit])"
    }

    static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// `8 s`, `3 min 20 s`, `2 h 5 min`.
    static func display(seconds: Double) -> String {
        let seconds = max(0, Int(min(seconds, 1e9).rounded(.up)))
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
        default: return "\(seconds / 3600) h" + (seconds % 3600 / 60 == 0 ? "" : " \(seconds % 3600 / 60) min")
        }
    }

    /// `3 files`, `1 file`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// `2026-11-21 09:05` in the time zone of this machine; nothing for no time.
    static func display(_ date: Date?) -> String {
        guard let date else { return "" }
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day, .hour, .minute], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)):\(two(parts.minute))"
    }
}

extension Duration {
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
