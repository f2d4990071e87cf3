import FundCore

/// A day, or a time of one, by the calendar of its zone.
struct CivilTime: Equatable {
    /// Since 1970.
    var day: Int
    /// Second of the day; nil for all of it.
    var second: Int?
    var zone: CalendarTime.Zone?

    private init(day: Int, second: Int?, zone: CalendarTime.Zone?) {
        (self.day, self.second, self.zone) = (day, second, zone)
    }

    /// RFC 5545 §3.3.4 and §3.3.5; nil for what is no day or no time.
    init?(_ line: ContentLine) {
        let value = ASCII.trimmed(line.value[...])
        guard let year = ASCII.number(value.prefix(4)), let month = ASCII.number(value.dropFirst(4).prefix(2)),
            let number = ASCII.number(value.dropFirst(6).prefix(2)), value.count >= 8, (1...9999).contains(year)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: number)
        guard date.exists else { return nil }
        day = date.daysSince1970
        guard value.count > 8 else { return }
        let clock = value.dropFirst(9)
        guard value[value.startIndex + 8] == UInt8(ascii: "T"), let hour = ASCII.number(clock.prefix(2)),
            let minute = ASCII.number(clock.dropFirst(2).prefix(2)),
            let rest = ASCII.number(clock.dropFirst(4).prefix(2)), hour < 24, minute < 60, rest <= 60
        else { return nil }
        second = hour * 3600 + minute * 60 + min(rest, 59)
        zone =
            clock.dropFirst(6).first == UInt8(ascii: "Z") ? .utc : line.parameter("TZID").map { CalendarTime.Zone($0) }
    }

    /// By the clock of the zone: that it may be changed in between does not count. Nil outside the years 1 to 9999.
    func adding(seconds: Int) -> CivilTime? {
        let sum = (second ?? 0) + seconds
        let length = CivilDate.secondsPerDay
        let days = (sum - (sum % length + length) % length) / length
        guard (1...9999).contains(CivilDate(daysSince1970: day + days).year) else { return nil }
        return CivilTime(day: day + days, second: second.map { _ in sum - days * length }, zone: zone)
    }

    var time: CalendarTime {
        CalendarTime(
            CivilDate(daysSince1970: day), second.flatMap { ClockTime(secondOfDay: $0) }, zone: zone)
    }

    /// A hundred years.
    private static let maxDurationDays = 36_525

    /// Reads a duration (RFC 5545 §3.3.6); nil for what is none, and for one of more than a hundred years.
    static func seconds(ofDuration value: [UInt8]) -> Int? {
        let units: [UInt8: Int] = [
            UInt8(ascii: "W"): 7 * CivilDate.secondsPerDay, UInt8(ascii: "D"): CivilDate.secondsPerDay,
            UInt8(ascii: "H"): 3600, UInt8(ascii: "M"): 60, UInt8(ascii: "S"): 1,
        ]
        var rest = ASCII.trimmed(value[...])
        let isNegative = rest.first == .hyphen
        if rest.first == .hyphen || rest.first == .plus { rest.removeFirst() }
        guard rest.first == UInt8(ascii: "P") else { return nil }
        rest.removeFirst()
        var seconds = 0
        while let byte = rest.first {
            if byte == UInt8(ascii: "T") {
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: ASCII.isDigit)
            guard let number = ASCII.number(digits),
                let unit = rest.dropFirst(digits.count).first.flatMap({ units[$0] })
            else { return nil }
            seconds += number * unit
            guard seconds <= maxDurationDays * CivilDate.secondsPerDay else { return nil }
            rest = rest.dropFirst(digits.count + 1)
        }
        return isNegative ? -seconds : seconds
    }
}
