/// A day of the Gregorian calendar, which counts for the days before 1582 as well. The arithmetic is Howard Hinnant's
/// (https://howardhinnant.github.io/date_algorithms.html): years begin in March, so that the leap day is the last of
/// them, and 400 of them are 146,097 days.
package struct CivilDate: Hashable, Sendable {
    package var year: Int
    /// 1 to 12.
    package var month: Int
    /// 1 to 31.
    package var day: Int

    /// Names of the months in lower-case English, as they begin in dates of mail (RFC 5322 §3.3).
    package static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// From 0000-03-01 to 1970-01-01.
    private static let daysBefore1970 = 719_468
    private static let daysOfEra = 146_097

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    package init(daysSince1970: Int) {
        let days = daysSince1970 + Self.daysBefore1970
        let era = (days >= 0 ? days : days - Self.daysOfEra + 1) / Self.daysOfEra
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / (Self.daysOfEra - 1)) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Whether the month has this day.
    package var exists: Bool { (1...12).contains(month) && CivilDate(daysSince1970: daysSince1970) == self }

    /// Negative for days before 1970. A day that the month does not have counts on into the next one.
    package var daysSince1970: Int {
        let marchYear = month > 2 ? year : year - 1
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysBefore1970
    }
}
