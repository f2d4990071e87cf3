internal import FundHTTP
internal import FundCore

/// Times and sizes as people read them.
struct Formats: Sendable {
    private static let months = CivilDate.monthNames.map { $0.prefix(1).uppercased() + $0.dropFirst() }

    let words: Words
    let now: Timestamp

    /// `1.3 MB`, see `ByteSize`.
    func size(_ bytes: Int64) -> String { ByteSize.text(bytes) }

    /// `09:10 UTC`, `Yesterday 09:10 UTC`, `12 Mar`: a time as lists show it. The page's script writes it in the
    /// reader's time zone; where there are no scripts, a clock names its zone.
    func time(_ time: Timestamp) -> PageModel { marked(time, text(time, isExact: false)) }

    /// A time with its hour however long ago it is, for times whose place in a day matters.
    func exactTime(_ time: Timestamp) -> PageModel { marked(time, text(time, isExact: true)) }

    /// The age for a `<time data-age>`: `2 h ago`. The page's script keeps it right.
    func agingTime(_ time: Timestamp) -> PageModel { marked(time, age(time)) }

    /// How long something has lasted, for a `<time data-span>`: `2 h`. The page's script keeps it right.
    func span(since time: Timestamp) -> PageModel { marked(time, age(time, in: "span")) }

    /// How long ago a time was, in the largest unit that is full.
    /// - Parameter kind: `age`, or `span` for how long something has lasted since.
    func age(_ time: Timestamp, in kind: String = "age") -> String {
        let seconds = max(now.rawValue - time.rawValue, 0)
        return switch seconds {
        case ..<60: words("\(kind).now")
        case ..<3600: words("\(kind).minutes", "\(seconds / 60)")
        case ..<86_400: words("\(kind).hours", "\(seconds / 3600)")
        default: words("\(kind).days", "\(seconds / 86_400)")
        }
    }

    /// A length of time in the largest unit that is full: `2 min`.
    func duration(_ seconds: Double) -> String {
        // Longer ones are as good as endless, and have no number of seconds.
        let seconds = Int64(min(max(seconds, 0), 1e9))
        return age(Timestamp(now.rawValue - seconds), in: "span")
    }

    private func marked(_ time: Timestamp, _ text: String) -> PageModel {
        ["datetime": DateText.internet(time), "text": text]
    }

    private func text(_ time: Timestamp, isExact: Bool) -> String {
        let (parts, today) = (DateText.Parts(time), DateText.Parts(now))
        let clock = "\(Self.clock(parts)) UTC"
        switch parts.daysSince1970 - today.daysSince1970 {
        case 0: return clock
        case -1: return words("day.yesterday", clock)
        case 1: return words("day.tomorrow", clock)
        default:
            let day = Self.text(of: parts.date, words.language, hasYear: parts.date.year != today.date.year)
            return isExact ? "\(day) \(clock)" : day
        }
    }

    /// The time of a day in UTC, where the day stands above it.
    func clock(_ time: Timestamp) -> PageModel { marked(time, Self.clock(DateText.Parts(time))) }

    private static func clock(_ time: DateText.Parts) -> String {
        let (hour, minute) = (time.second / 3600, time.second / 60 % 60)
        return "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
    }

    /// A day in UTC, as the heading of a list.
    /// - Returns: `2026-11-27`, `Today` or `Yesterday`, and `Friday 27 Nov`, with the year of another year.
    func day(_ time: Timestamp) -> (key: String, name: String?, date: String) {
        let (date, today) = (DateText.Parts(time).date, DateText.Parts(now).date)
        let days = date.daysSince1970
        // 1970 began with a Thursday.
        let weekday = words("weekday.\(((days + 3) % 7 + 7) % 7 + 1)")
        let shown = Self.text(of: date, words.language, hasYear: date.year != today.year)
        let name: String? =
            switch today.daysSince1970 - days {
            case 0: words("latest.today")
            case 1: words("latest.yesterday")
            default: nil
            }
        return (date.text, name, words.language == .zh ? "\(shown) \(weekday)" : "\(weekday) \(shown)")
    }

    /// `12 Mar`, with the year of another year.
    func date(_ date: CivilDate) -> String {
        Self.text(of: date, words.language, hasYear: date.year != DateText.Parts(now).date.year)
    }

    /// `12 Mar 2026`: a day in UTC that is read by others, later.
    func wholeDate(_ time: Timestamp) -> String { Self.text(of: DateText.Parts(time).date, words.language) }

    /// The heading of a day in UTC above its rows. Values that are not there are said to be absent: a name that is
    /// missing is looked up in what stands around.
    func dayHeading(_ time: Timestamp) -> PageModel {
        let day = day(time)
        return [
            "dayKey": day.key, "dayName": day.name ?? day.date,
            "dayDate": day.name == nil ? .flag(false) : PageValue.text(day.date),
        ]
    }

    /// Day and time by the clock of some zone, which is not said.
    func civil(_ time: CalendarTime) -> String {
        let day = Self.text(of: time.day, words.language)
        return time.clock.map { "\(day) \($0.text.prefix(5))" } ?? day
    }

    private static func text(of day: CivilDate, _ language: Language, hasYear: Bool = true) -> String {
        switch language {
        case .zh: (hasYear ? "\(day.year)年" : "") + "\(day.month)月\(day.day)日"
        case .en: "\(day.day) \(months[day.month - 1])" + (hasYear ? " \(day.year)" : "")
        }
    }
}
