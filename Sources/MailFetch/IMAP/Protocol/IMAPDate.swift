internal import FundCore

/// `date-time` of RFC 3501 §9, as INTERNALDATE gives it: ` 7-Jul-1996 02:44:25 -0700`.
enum IMAPDate {
    /// Nil when it is not a date.
    static func time(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 3 else { return nil }
        let date = words[0].split(separator: "-")
        let time = words[1].split(separator: ":").compactMap { Int64($0) }
        guard date.count == 3, time.count == 3, let day = Int(date[0]), let year = Int(date[2]),
            let month = CivilDate.monthNames.firstIndex(of: date[1].lowercased()), let zone = Int64(words[2]),
            (1...31).contains(day), (1...9999).contains(year), (0...23).contains(time[0]), (0...59).contains(time[1]),
            (0...60).contains(time[2]), (-9999...9999).contains(zone)
        else { return nil }
        let seconds = time[0] * 3600 + time[1] * 60 + time[2]
        let days = CivilDate(year: year, month: month + 1, day: day).daysSince1970
        return Timestamp(Int64(days) * 86_400 + seconds - (zone / 100 * 60 + zone % 100) * 60)
    }
}
