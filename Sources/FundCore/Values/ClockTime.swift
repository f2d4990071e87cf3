/// A time of a day by the clock, to the second: none of a zone.
package struct ClockTime: Hashable, Sendable {
    /// Below `CivilDate.secondsPerDay`.
    package let secondOfDay: Int

    /// Nil outside of a day.
    package init?(secondOfDay: Int) {
        guard (0..<CivilDate.secondsPerDay).contains(secondOfDay) else { return nil }
        self.secondOfDay = secondOfDay
    }

    /// Reads `09:00:00`, as `text` writes it; nil for other texts.
    package init?(_ text: String) {
        guard let numbers = ASCII.numbers(text, [2, 2, 2], dividedBy: .colon), numbers[0] < 24, numbers[1] < 60,
            numbers[2] < 60
        else { return nil }
        secondOfDay = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    }

    /// `09:00:00`.
    package var text: String {
        [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { "\($0)".zeroPadded(to: 2) }
            .joined(separator: ":")
    }
}

extension CivilDate {
    package static let secondsPerDay = 86_400

    /// Reads `2026-11-25`, a day that exists, from the year 1 on; nil for other texts.
    package init?(_ text: String) {
        guard let numbers = ASCII.numbers(text, [4, 2, 2], dividedBy: .hyphen), numbers[0] >= 1 else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
        guard exists else { return nil }
    }

    /// `2026-11-25`, of the years 1 to 9999.
    package var text: String {
        "\("\(year)".zeroPadded(to: 4))-\("\(month)".zeroPadded(to: 2))-\("\(day)".zeroPadded(to: 2))"
    }
}

extension ASCII {
    /// Nil unless the text is numbers of so many digits.
    fileprivate static func numbers(_ text: String, _ digits: [Int], dividedBy divider: UInt8) -> [Int]? {
        let parts = Array(text.utf8).split(separator: divider, omittingEmptySubsequences: false)
        guard parts.map(\.count) == digits else { return nil }
        let numbers = parts.compactMap { number($0) }
        return numbers.count == parts.count ? numbers : nil
    }
}
