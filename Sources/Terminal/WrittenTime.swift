import Glibc

/// Points in time, as seconds since 1970, in writing.
package enum WrittenTime {
    /// RFC 3339, UTC, to the second.
    package static func utc(_ seconds: Int64) -> String { format(seconds, "%Y-%m-%dT%H:%M:%SZ", gmtime_r) }

    /// RFC 3339, UTC, now, with milliseconds.
    package static func preciseNow() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let digits = String(1000 + time.tv_nsec / 1_000_000).dropFirst()
        return utc(Int64(time.tv_sec)).dropLast() + ".\(digits)Z"
    }

    /// `2026-11-21 09:05` in the time zone of this machine.
    package static func local(_ seconds: Int64) -> String { format(seconds, "%Y-%m-%d %H:%M", localtime_r) }

    /// Reads `2026-01-01` as midnight of that day in the time zone of this machine. Nil for anything else.
    package static func midnight(_ text: String) -> Int64? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers.map(\.count) == [4, 2, 2], numbers.allSatisfy({ $0.allSatisfy(\.isNumber) }),
            let year = Int32(numbers[0]), let month = Int32(numbers[1]), let day = Int32(numbers[2]),
            year >= 1970, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        var fields = tm()
        fields.tm_year = year - 1900
        fields.tm_mon = month - 1
        fields.tm_mday = day
        fields.tm_isdst = -1
        let seconds = mktime(&fields)
        // mktime turns 31 February into March.
        guard seconds != -1, fields.tm_mday == day else { return nil }
        return Int64(seconds)
    }

    /// Nothing for a year that the C library cannot write.
    private static func format(
        _ seconds: Int64, _ pattern: String,
        _ split: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> String {
        var time = time_t(seconds)
        var fields = tm()
        guard split(&time, &fields) != nil else { return "" }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, pattern, &fields)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
