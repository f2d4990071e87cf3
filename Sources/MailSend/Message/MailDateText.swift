internal import FundCore

/// Dates as mail has them (RFC 5322 §3.3), in UTC: `Sat, 28 Nov 2026 19:05:07 +0000`.
enum MailDateText {
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    static func text(_ time: Timestamp) -> String {
        let secondsPerDay = Int64(CivilDate.secondsPerDay)
        let day = Int((Double(time.rawValue) / Double(secondsPerDay)).rounded(.down))
        let second = Int(time.rawValue - Int64(day) * secondsPerDay)
        let date = CivilDate(daysSince1970: day)
        let clock = ClockTime(secondOfDay: second)?.text ?? "00:00:00"
        let week = dayNames[((day % 7) + 7) % 7]
        let name = CivilDate.monthNames[date.month - 1]
        let month = name.prefix(1).uppercased() + name.dropFirst()
        return "\(week), \(date.day) \(month) \("\(date.year)".zeroPadded(to: 4)) \(clock) +0000"
    }
}
