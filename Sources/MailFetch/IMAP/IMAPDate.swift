internal import FundCore

/// `date-time` of RFC 3501 §9, as INTERNALDATE gives it: ` 7-Jul-1996 02:44:25 -0700`.
enum IMAPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Nil when it is none.
    static func time(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 3 else { return nil }
        let date = words[0].split(separator: "-")
        let time = words[1].split(separator: ":").compactMap { Int64($0) }
        guard date.count == 3, time.count == 3, let day = Int64(date[0]), let year = Int64(date[2]),
            let month = months.firstIndex(of: date[1].lowercased()), let zone = Int64(words[2]),
            (1...31).contains(day), (1...9999).contains(year), (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2]), (-9999...9999).contains(zone)
        else { return nil }
        let seconds = time[0] * 3600 + time[1] * 60 + time[2]
        return Timestamp(
            days(year, Int64(month + 1), day) * 86_400 + seconds - (zone / 100 * 60 + zone % 100) * 60)
    }

    /// Days from 1970-01-01 in the Gregorian calendar; a year that begins in March ends with the leap day.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
