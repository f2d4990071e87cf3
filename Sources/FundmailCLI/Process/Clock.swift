import FundCore
import Glibc

/// Points in time as people and JSON write them.
enum Clock {
    /// RFC 3339, UTC.
    static func timestamp(_ time: Timestamp) -> String { format(time, "%Y-%m-%dT%H:%M:%SZ", isLocal: false) }

    /// RFC 3339, UTC, now, with milliseconds.
    static func preciseTimestamp() -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let digits = String(1000 + time.tv_nsec / 1_000_000).dropFirst()
        return timestamp(Timestamp(Int64(time.tv_sec))).dropLast() + ".\(digits)Z"
    }

    /// For people, in the time zone of this machine.
    static func local(_ time: Timestamp) -> String { format(time, "%Y-%m-%d %H:%M", isLocal: true) }

    /// `7d` is that long ago, `2026-01-01` midnight of that day here. Nil for anything else.
    static func since(_ text: String, now: Timestamp = .now) -> Timestamp? {
        if let seconds = Quantity.seconds(text) { return now - .seconds(seconds) }
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
        return Timestamp(Int64(seconds))
    }

    private static func format(_ point: Timestamp, _ pattern: String, isLocal: Bool) -> String {
        var time = time_t(point.rawValue)
        var fields = tm()
        if isLocal { localtime_r(&time, &fields) } else { gmtime_r(&time, &fields) }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, pattern, &fields)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
