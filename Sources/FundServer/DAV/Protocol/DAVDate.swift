/// Times as RFC 4918 wants them, always in UTC.
enum DAVDate {
    private static let days: [StaticString] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    static func http(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        return String(unsafeUninitializedCapacity: 29) { buffer in
            var text = Text(buffer: buffer)
            text.add(days[Int(((parts.daysSince1970 % 7) + 7) % 7)])
            text.add(", ")
            text.add(parts.day, digits: 2)
            text.add(" ")
            text.add(months[parts.month - 1])
            text.add(" ")
            text.add(parts.year, digits: 4)
            text.add(" ")
            text.addTime(parts)
            text.add(" GMT")
            return text.count
        }
    }

    /// `1994-11-06T08:49:37Z` (RFC 3339).
    static func internet(_ seconds: Int64) -> String {
        let parts = Parts(seconds)
        return String(unsafeUninitializedCapacity: 20) { buffer in
            var text = Text(buffer: buffer)
            text.add(parts.year, digits: 4)
            text.add("-")
            text.add(parts.month, digits: 2)
            text.add("-")
            text.add(parts.day, digits: 2)
            text.add("T")
            text.addTime(parts)
            text.add("Z")
            return text.count
        }
    }

    /// Every file of a listing has two dates: they are written straight into the string's own bytes.
    private struct Text {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        var count = 0

        mutating func add(_ text: StaticString) {
            for index in 0..<text.utf8CodeUnitCount { buffer[count + index] = text.utf8Start[index] }
            count += text.utf8CodeUnitCount
        }

        mutating func add(_ number: Int, digits: Int) {
            var rest = number
            for index in (0..<digits).reversed() {
                buffer[count + index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            count += digits
        }

        mutating func addTime(_ parts: Parts) {
            add(parts.second / 3600, digits: 2)
            add(":")
            add(parts.second / 60 % 60, digits: 2)
            add(":")
            add(parts.second % 60, digits: 2)
        }
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
}
