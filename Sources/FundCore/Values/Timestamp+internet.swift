extension Timestamp {
    /// Reads a time as RFC 3339 §5.6 writes it, also with a space for its `T`; fractions of a second do not count. Nil
    /// for any other text.
    package init?(internet text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? { range.upperBound <= bytes.count ? ASCII.number(bytes[range]) : nil }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let zone = bytes[19...].drop { $0 == .dot || ASCII.isDigit($0) }
        var offset = 0
        if zone.count == 6, let hours = ASCII.number(zone.dropFirst().prefix(2)),
            let minutes = ASCII.number(zone.suffix(2))
        {
            offset = (hours * 3600 + minutes * 60) * (zone.first == .hyphen ? -1 : 1)
        } else if !zone.elementsEqual("Z".utf8) {
            return nil
        }
        let seconds = hour * 3600 + minute * 60 + second - offset
        self.init(Int64(date.daysSince1970 * CivilDate.secondsPerDay + seconds))
    }

    /// `2026-11-21T09:05:00Z` (RFC 3339 §5.6); a time before 1970 is written as its first second.
    package var internetText: String {
        let seconds = max(0, Int(rawValue))
        let date = CivilDate(daysSince1970: seconds / CivilDate.secondsPerDay)
        return "\(date.text)T\(ClockTime(secondOfDay: seconds % CivilDate.secondsPerDay)?.text ?? "")Z"
    }
}
