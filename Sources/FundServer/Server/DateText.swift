/// Times as the fields of HTTP and the properties of WebDAV have them, always in UTC.
enum DateText {
    // Three letters each. A folder of a thousand files has two thousand times: they are put together from bytes.
    private static let days = Array("ThuFriSatSunMonTueWed".utf8)
    private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func http(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        let day = Int(((parts.daysSince1970 % 7) + 7) % 7)
        var text = Array(days[day * 3..<day * 3 + 3])
        text += ", ".utf8
        append(parts.day, to: &text, then: " ")
        text += months[parts.month * 3 - 3..<parts.month * 3]
        text += " ".utf8
        append(parts.year / 100, to: &text)
        append(parts.year % 100, to: &text, then: " ")
        appendTime(parts, to: &text)
        text += " GMT".utf8
        return String(decoding: text, as: UTF8.self)
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339).
    static func internet(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        var text: [UInt8] = []
        append(parts.year / 100, to: &text)
        append(parts.year % 100, to: &text, then: "-")
        append(parts.month, to: &text, then: "-")
        append(parts.day, to: &text, then: "T")
        appendTime(parts, to: &text)
        text += "Z".utf8
        return String(decoding: text, as: UTF8.self)
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

    private static func appendTime(_ parts: Parts, to text: inout [UInt8]) {
        append(parts.second / 3600, to: &text, then: ":")
        append(parts.second / 60 % 60, to: &text, then: ":")
        append(parts.second % 60, to: &text)
    }

    /// Two digits.
    private static func append(_ number: Int, to text: inout [UInt8], then separator: String = "") {
        text.append(UInt8(ascii: "0") + UInt8(number / 10))
        text.append(UInt8(ascii: "0") + UInt8(number % 10))
        text += separator.utf8
    }
}
