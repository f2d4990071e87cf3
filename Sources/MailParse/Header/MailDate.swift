import FundCore

/// `Date` (RFC 5322 §3.3, obsolete forms §4.3).
enum MailDate {
    /// Nil without day, month and year. The parts are told apart by form: `Fri Nov 20 10:00:00 2026` is written, too.
    static func time(_ value: [UInt8]) -> Timestamp? {
        var (day, month, year): (Int?, Int?, Int?) = (nil, nil, nil)
        var (clock, zone): (Int?, Int?) = (nil, nil)
        for token in withoutComments(value.prefix(256)).split(whereSeparator: { ASCII.isSpace($0) || $0 == .comma }) {
            guard let first = token.first else { continue }
            if token.contains(.colon) {
                clock = clock ?? timeOfDay(token)
            } else if first == .plus || first == .hyphen, token.count == 5, let digits = ASCII.number(token.dropFirst())
            {
                let offset = digits / 100 * 3600 + digits % 100 * 60
                zone = zone ?? (first == .hyphen ? -offset : offset)
            } else if let number = ASCII.number(token) {
                if day == nil, token.count <= 2 { day = number } else { year = year ?? fullYear(number, token.count) }
            } else if ASCII.isLetter(first) {
                let name = ASCII.lowercased(token)
                if let index = CivilDate.monthNames.firstIndex(where: { name.hasPrefix($0) }), month == nil {
                    month = index + 1
                } else if clock != nil, zone == nil {
                    zone = zones[name] ?? 0
                }
            } else if token.contains(.hyphen) {
                // `20-Nov-2026`
                let parts = token.split(separator: .hyphen)
                guard parts.count == 3 else { continue }
                day = day ?? ASCII.number(parts[0])
                month = month ?? CivilDate.monthNames.firstIndex(of: ASCII.lowercased(parts[1])).map { $0 + 1 }
                year = year ?? ASCII.number(parts[2]).map { fullYear($0, parts[2].count) }
            }
        }
        guard let day, let month, let year, (1...31).contains(day), (1...9999).contains(year) else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        return Timestamp(Int64(days * CivilDate.secondsPerDay) + Int64(clock ?? 0) - Int64(zone ?? 0))
    }

    /// RFC 5322 §4.3; the military letters mean nothing there.
    private static let zones: [String: Int] = [
        "ut": 0, "gmt": 0, "z": 0, "utc": 0, "est": -18000, "edt": -14400, "cst": -21600, "cdt": -18000, "mst": -25200,
        "mdt": -21600, "pst": -28800, "pdt": -25200, "cet": 3600, "cest": 7200, "jst": 32400, "bst": 3600,
    ]

    private static func fullYear(_ number: Int, _ digits: Int) -> Int {
        guard digits < 4 else { return number }
        return digits == 2 && number < 50 ? 2000 + number : 1900 + number
    }

    private static func timeOfDay(_ token: ArraySlice<UInt8>) -> Int? {
        let parts = token.split(separator: .colon).map { ASCII.number($0.prefix { ASCII.isDigit($0) }) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1], hour < 25, minute < 60 else {
            return nil
        }
        let second = parts.count > 2 ? parts[2] ?? 0 : 0
        return second <= 60 ? hour * 3600 + minute * 60 + second : nil
    }

    private static func withoutComments(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var (result, depth): ([UInt8], Int) = ([], 0)
        for byte in value {
            if byte == .openParenthesis { depth += 1 }
            if depth == 0 { result.append(byte) }
            if byte == .closeParenthesis, depth > 0 {
                depth -= 1
                result.append(.space)
            }
        }
        return result
    }
}
