/// Times as RFC 4918 wants them, always in UTC.
enum DAVDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func http(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        let day = days[Int(((parts.daysSince1970 % 7) + 7) % 7)]
        return "\(day), \(two(parts.day)) \(months[parts.month - 1]) \(four(parts.year)) \(time(parts)) GMT"
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339).
    static func internet(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        return "\(four(parts.year))-\(two(parts.month))-\(two(parts.day))T\(time(parts))Z"
    }

    private struct Parts {
        var daysSince1970: Int64
        var year: Int
        var month: Int
        var day: Int
        var second: Int

        /// Years 1 to 9999; what lies outside is taken for the nearest.
        init(_ seconds: Int64) {
            let bounded = max(-62_135_596_800, min(seconds, 253_402_300_799))
            second = Int(((bounded % 86400) + 86400) % 86400)
            daysSince1970 = (bounded - Int64(second)) / 86400
            // From the days since 0000-03-01 in eras of 400 years (Howard Hinnant, chrono-compatible date algorithms).
            let shifted = Int(daysSince1970) + 719_468
            let era = shifted / 146_097
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let shiftedMonth = (5 * dayOfYear + 2) / 153
            day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
            month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }
    }

    private static func time(_ parts: Parts) -> String {
        "\(two(parts.second / 3600)):\(two(parts.second / 60 % 60)):\(two(parts.second % 60))"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func four(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}
