package import FundCore

/// Times as text in UTC, for fields of HTTP and properties of WebDAV.
package enum DateText {
    // Three letters each. A listing of a thousand files holds two thousand times, so they are composed of bytes.
    private static let days = Array("ThuFriSatSunMonTueWed".utf8)
    private static let comma = Array(", ".utf8)
    private static let zone = Array(" GMT".utf8)
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    package static func http(_ time: Timestamp) -> String {
        let parts = Parts(time)
        let day = ((parts.daysSince1970 % 7) + 7) % 7
        var text: [UInt8] = []
        text.reserveCapacity(32)
        text += days[day * 3..<day * 3 + 3]
        text += comma
        append(parts.date.day, to: &text, then: " ")
        text += months[parts.date.month * 3 - 3..<parts.date.month * 3]
        text.append(UInt8(ascii: " "))
        append(parts.date.year / 100, to: &text)
        append(parts.date.year % 100, to: &text, then: " ")
        appendTime(parts, to: &text)
        text += zone
        return String(decoding: text, as: UTF8.self)
    }

    /// Longer numbers are no time.
    private static let maxNumberBytes = 64

    /// Seconds since 1970 in decimal digits, with a minus for times before and with a fraction where clients send one:
    /// the whole second in which it lies. What lies outside of the years 1 to 9999 is taken for the nearest within. Nil
    /// for other text.
    package static func time(since1970 text: some StringProtocol) -> Timestamp? {
        guard text.utf8.count <= maxNumberBytes else { return nil }
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) else {
            return nil
        }
        let hasFraction = parts.count > 1 && parts[1].contains { $0 != UInt8(ascii: "0") }
        // More digits than fit are beyond all years.
        let seconds = Int64(String(decoding: whole, as: UTF8.self)) ?? .max
        let floor = isNegative ? -seconds - (hasFraction ? 1 : 0) : seconds
        return Timestamp(max(range.lowerBound, min(floor, range.upperBound)))
    }

    /// Seconds of the years 1 to 9999.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// The time of a text that `http` wrote; nil for other text, the two obsolete forms of RFC 9110 §5.6.7 included.
    package static func time(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", words[2].utf8.count == 3,
            let month = CivilDate.monthNames.firstIndex(of: words[2].lowercased()), let day = Int(words[1]),
            let year = Int(words[3]), (1...9999).contains(year)
        else { return nil }
        let time = words[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (1...31).contains(day), time.allSatisfy({ (0...60).contains($0) }) else { return nil }
        let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
        let result = Timestamp(Int64(days * CivilDate.secondsPerDay) + Int64(time[0] * 3600 + time[1] * 60 + time[2]))
        return http(result) == text ? result : nil
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339).
    package static func internet(_ time: Timestamp) -> String {
        let parts = Parts(time)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        append(parts.date.year / 100, to: &text)
        append(parts.date.year % 100, to: &text, then: "-")
        append(parts.date.month, to: &text, then: "-")
        append(parts.date.day, to: &text, then: "T")
        appendTime(parts, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The day of a time, and the second of the day.
    package struct Parts {
        package var daysSince1970: Int
        package var date: CivilDate
        /// Second of the day.
        package var second: Int

        /// A time outside of the years 1 to 9999 is taken for the nearest within.
        package init(_ time: Timestamp) {
            let bounded = max(range.lowerBound, min(time.rawValue, range.upperBound))
            let day = Int64(CivilDate.secondsPerDay)
            second = Int(((bounded % day) + day) % day)
            daysSince1970 = Int((bounded - Int64(second)) / day)
            date = CivilDate(daysSince1970: daysSince1970)
        }
    }

    private static func appendTime(_ parts: Parts, to text: inout [UInt8]) {
        append(parts.second / 3600, to: &text, then: ":")
        append(parts.second / 60 % 60, to: &text, then: ":")
        append(parts.second % 60, to: &text)
    }

    /// Two digits.
    private static func append(_ number: Int, to text: inout [UInt8], then separator: Unicode.Scalar? = nil) {
        text.append(UInt8(ascii: "0") + UInt8(number / 10))
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
        if let separator { text.append(UInt8(ascii: separator)) }
    }
}
