internal import FundHTTP
internal import FundCore

/// Times and sizes as people read them.
struct Formats: Sendable {
    private static let months = CivilDate.monthNames.map { $0.prefix(1).uppercased() + $0.dropFirst() }

    let words: Words
    let now: Timestamp

    /// `1.3 MB`: decimal units, two digits at least.
    func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < 4 { (value, unit) = (value / 1000, unit + 1) }
        let digits = value < 9.95 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
        return "\(digits) \(["B", "KB", "MB", "GB", "TB"][unit])"
    }

    /// Day and time, for times whose place in a day matters.
    func exactTime(_ time: Timestamp) -> PageModel {
        let (day, clock) = Self.dayAndClock(time, words.language)
        return ["datetime": DateText.internet(time), "text": "\(day) \(clock) UTC"]
    }

    /// A day in UTC, with the time when it is of the last day; the page's script writes it in the reader's time zone.
    func time(_ time: Timestamp) -> PageModel {
        let (day, clock) = Self.dayAndClock(time, words.language)
        let isRecent = (0..<Int64(CivilDate.secondsPerDay)).contains(now.rawValue - time.rawValue)
        return ["datetime": DateText.internet(time), "text": isRecent ? "\(clock) UTC" : day]
    }

    /// Day and time by the clock of some zone, which is not said.
    func civil(_ time: CalendarTime) -> String {
        let day = Self.text(of: time.day, words.language)
        return time.clock.map { "\(day) \($0.text.prefix(5))" } ?? day
    }

    private static func text(of day: CivilDate, _ language: Language) -> String {
        language == .zh
            ? "\(day.year)年\(day.month)月\(day.day)日" : "\(day.day) \(months[day.month - 1]) \(day.year)"
    }

    private static func dayAndClock(_ time: Timestamp, _ language: Language) -> (day: String, clock: String) {
        let parts = DateText.Parts(time)
        let (hour, minute) = (parts.second / 3600, parts.second / 60 % 60)
        return (text(of: parts.date, language), "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)")
    }
}
