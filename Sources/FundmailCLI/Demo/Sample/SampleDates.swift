import FundCore

/// Days as the documents of the made-up office write them, by how far they are from today (UTC).
struct SampleDates: Sendable {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    private let today: Int

    init(_ now: Timestamp) { today = Int(now.rawValue) / CivilDate.secondsPerDay }

    /// `4 December 2026`.
    func day(_ offset: Int) -> String {
        let date = CivilDate(daysSince1970: today + offset)
        return "\(date.day) \(Self.months[date.month - 1]) \(date.year)"
    }

    /// The month before this one: `October 2026`.
    var lastMonth: String {
        let date = CivilDate(daysSince1970: today)
        return date.month == 1 ? "December \(date.year - 1)" : "\(Self.months[date.month - 2]) \(date.year)"
    }

    /// The quarter before this one: `Q3 2026`.
    var lastQuarter: String {
        let date = CivilDate(daysSince1970: today)
        let quarter = (date.month - 1) / 3
        return quarter == 0 ? "Q4 \(date.year - 1)" : "Q\(quarter) \(date.year)"
    }
}
