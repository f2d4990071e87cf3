import FundCore

/// Dates of feeds: those of the standards (RFC 3339, W3C-DTF, ISO 8601, RFC 5322) and what programs write instead.
enum FeedDate {
    private static let maxBytes = 100

    /// Nil for what is no date.
    static func time(_ text: String) -> Timestamp? {
        let text = FeedText.line(text).prefix(bytes: maxBytes)
        guard !text.isEmpty else { return nil }
        return seconds(text) ?? iso(text) ?? eastAsian(text) ?? slashed(text)
            ?? MailDate.time(Array(english(text).utf8))
    }

    // MARK: Numbers

    /// Seconds or milliseconds since 1970.
    private static func seconds(_ text: String) -> Timestamp? {
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int64(text) else { return nil }
        return switch text.utf8.count {
        case 9, 10: Timestamp(number)
        case 13: Timestamp(number / 1000)
        default: nil
        }
    }

    /// `2003-12-31T10:14:55.1+08:00` and its shorter forms: without hyphens, without a day, month, time or zone, with
    /// the number of the day in the year, with a space for `T`.
    private static func iso(_ text: String) -> Timestamp? {
        var scan = DateScan(text)
        guard let days = scan.isoDay() else { return nil }
        scan.skip { $0 == .space || $0 | 0x20 == UInt8(ascii: "t") || $0 == .comma }
        guard let time = scan.time() else { return nil }
        return stamp(days, time)
    }

    /// `2004년 5월 28일 오후 11:31:25`, `2004年5月28日 23:31`, with 오전, 오후, 上午 and 下午 for the halves of the day.
    private static func eastAsian(_ text: String) -> Timestamp? {
        guard text.contains("년") || text.contains("年") else { return nil }
        let isAfternoon = text.contains("오후") || text.contains("下午")
        var scan = DateScan(text)
        var numbers: [Int] = []
        while numbers.count < 6, let number = scan.nextNumber() { numbers.append(number) }
        guard numbers.count >= 3 else { return nil }
        let days = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
        guard days.exists else { return nil }
        let clock = numbers.dropFirst(3) + Array(repeating: 0, count: 6 - numbers.count)
        let parts = Array(clock)
        let hour = isAfternoon && parts[0] < 12 ? parts[0] + 12 : parts[0]
        // Written without a zone, in the time of Korea and China: nine and eight hours before UTC.
        let zone = text.contains("년") ? 9 : 8
        return stamp(days.daysSince1970, (hour - zone) * 3600 + parts[1] * 60 + parts[2])
    }

    /// `12/31/2003 10:14` as in the United States; a first number above 12 is the day.
    private static func slashed(_ text: String) -> Timestamp? {
        let parts = text.prefix { $0 != " " }.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        let date: CivilDate
        if parts[0] > 31 {
            date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
        } else {
            let (month, day) = parts[0] > 12 ? (parts[1], parts[0]) : (parts[0], parts[1])
            date = CivilDate(year: fullYear(parts[2]), month: month, day: day)
        }
        guard date.exists else { return nil }
        var scan = DateScan(String(text.drop { $0 != " " }.dropFirst()))
        guard let time = scan.time() else { return nil }
        let isAfternoon = text.lowercased().hasSuffix("pm") && time < 12 * 3600
        return stamp(date.daysSince1970, time + (isAfternoon ? 12 * 3600 : 0))
    }

    static func fullYear(_ year: Int) -> Int { year >= 100 ? year : year < 70 ? 2000 + year : 1900 + year }

    private static func stamp(_ days: Int, _ seconds: Int) -> Timestamp {
        Timestamp(Int64(days) * 86_400 + Int64(seconds))
    }

    // MARK: Months of other languages

    /// A date with English months; `T` between date and time goes.
    private static func english(_ text: String) -> String {
        text.split { $0.isWhitespace || $0 == "," }.map { word -> String in
            let key = word.lowercased().filter { $0.isLetter }
            guard !key.isEmpty, key.count == word.filter({ $0 != "." }).count else {
                return word.contains("-")
                    ? word.split(separator: "-").map { month(String($0)) }.joined(separator: "-")
                    : String(word)
            }
            return month(String(word))
        }.joined(separator: " ")
    }

    private static func month(_ word: String) -> String {
        let key = String(word.lowercased().filter { $0.isLetter }.prefix(4))
        if let number = names[key] ?? names[String(key.prefix(3))], !key.isEmpty {
            return CivilDate.monthNames[number - 1]
        }
        return word
    }

    /// Beginnings of the names of months in German, French, Spanish, Italian, Portuguese, Dutch, Greek, Hungarian and
    /// Russian, where they are not those of English.
    private static let names: [String: Int] = {
        let lists = [
            "ene gen ιαν янв".split(separator: " "), "fév feb φεβ фев".split(separator: " "),
            "mär mrz márc μάρ мар maa".split(separator: " "), "avr abr ápr απρ апр".split(separator: " "),
            "mai máj μάι май mei mag".split(separator: " "), "juin jún ιούν июн giu".split(separator: " "),
            "juil júl ιούλ июл lug".split(separator: " "), "aoû ago αύγ авг".split(separator: " "),
            "set szep σεπ сен".split(separator: " "), "okt out οκτ окт ott".split(separator: " "),
            "νοέ ноя".split(separator: " "), "dez déc dic δεκ дек".split(separator: " "),
        ]
        var result: [String: Int] = [:]
        for (index, names) in lists.enumerated() {
            for name in names { result[String(name)] = index + 1 }
        }
        return result
    }()
}

/// Reads the numbers of a date from its beginning.
struct DateScan {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    private var isAtEnd: Bool { index >= bytes.count }
    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while let byte, isSkipped(byte) { index += 1 }
    }

    private var digits: Int { bytes[index...].prefix(while: ASCII.isDigit).count }

    private mutating func number(_ count: Int) -> Int? {
        guard count > 0, digits >= count else { return nil }
        defer { index += count }
        return bytes[index..<(index + count)].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The next number of up to four digits, wherever it stands.
    mutating func nextNumber() -> Int? {
        skip { !ASCII.isDigit($0) }
        return number(min(digits, 4))
    }

    private mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        index += 1
        return true
    }

    /// Days since 1970 of a date of ISO 8601.
    mutating func isoDay() -> Int? {
        let count = digits
        if count == 8, let year = number(4), let month = number(2), let day = number(2) {
            return days(year, month, day)
        }
        if count == 6, let year = number(2), let month = number(2), let day = number(2) {
            return days(FeedDate.fullYear(year), month, day)
        }
        if count == 7, let year = number(4), let day = number(3) { return ordinal(year, day) }
        guard count == 4 || count == 2, let written = number(count) else { return nil }
        let year = FeedDate.fullYear(written)
        if isAtEnd { return count == 4 ? days(year, 1, 1) : nil }
        guard take(.hyphen) else { return nil }
        if digits == 3, let day = number(3) { return ordinal(year, day) }
        guard let month = number(min(digits, 2)) else { return nil }
        guard take(.hyphen) else { return days(year, month, 1) }
        return number(min(digits, 2)).flatMap { days(year, month, $0) }
    }

    private func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let date = CivilDate(year: year, month: month, day: day)
        // Months end a day or three too early for some programs.
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        return date.daysSince1970
    }

    private func ordinal(_ year: Int, _ day: Int) -> Int? {
        guard (1...366).contains(day) else { return nil }
        return CivilDate(year: year, month: 1, day: 1).daysSince1970 + day - 1
    }

    /// Seconds of a day by a time with its zone: 0 without one; nil for what is none.
    mutating func time() -> Int? {
        skip { $0 == .space }
        guard !isAtEnd else { return 0 }
        guard let hour = number(min(digits, 2)), hour <= 24 else { return nil }
        var (minute, second) = (0, 0)
        if take(.colon) || digits >= 2 { minute = number(min(digits, 2)) ?? 0 }
        if take(.colon) || digits >= 2 { second = number(min(digits, 2)) ?? 0 }
        guard minute < 60, second <= 60 else { return nil }
        if take(.dot) || take(.comma) { skip(ASCII.isDigit) }
        skip { $0 == .space }
        return hour * 3600 + minute * 60 + second - zone()
    }

    /// Seconds east of UTC; 0 for a zone that is not known.
    private mutating func zone() -> Int {
        guard let sign = byte, sign == .plus || sign == .hyphen else { return Self.zones[rest] ?? 0 }
        index += 1
        let hours = number(min(digits, 2)) ?? 0
        _ = take(.colon)
        let minutes = number(min(digits, 2)) ?? 0
        return (hours * 3600 + minutes * 60) * (sign == .hyphen ? -1 : 1)
    }

    private var rest: String { ASCII.lowercased(bytes[index...].prefix(while: ASCII.isLetter)) }

    private static let zones = [
        "est": -18_000, "edt": -14_400, "cst": -21_600, "cdt": -18_000, "mst": -25_200, "mdt": -21_600,
        "pst": -28_800, "pdt": -25_200, "cet": 3600, "cest": 7200, "jst": 32_400, "bst": 3600,
    ]
}
