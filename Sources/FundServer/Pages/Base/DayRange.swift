internal import FundCore

/// Days that a form asks for, as the address of a list has them. A day begins by the reader's clock where the page's
/// script says by how much that is before UTC, and is one of UTC else; the last is included.
struct DayRange {
    /// Minutes by which clocks differ from UTC.
    private static let offsets: ClosedRange<Int64> = -1440...1440
    private static let secondsPerMinute: Int64 = 60

    /// Text as it came, such as `2026-01-31`.
    let sinceText, untilText: String?
    private let sinceOffset, untilOffset: String?

    /// All days.
    init() { (sinceText, untilText, sinceOffset, untilOffset) = (nil, nil, nil, nil) }

    init(_ query: QueryText) {
        (sinceText, untilText) = (query["since"], query["until"])
        (sinceOffset, untilOffset) = (query["since-offset"], query["until-offset"])
    }

    /// The field whose text is no day.
    var problem: String? {
        if let sinceText, Self.day(sinceText, nil) == nil { return "since" }
        if let untilText, Self.day(untilText, nil) == nil { return "until" }
        return nil
    }

    /// The beginning of the first day.
    var since: Timestamp? { sinceText.flatMap { Self.day($0, sinceOffset) } }

    /// The end of the last day.
    var until: Timestamp? {
        untilText.flatMap { Self.day($0, untilOffset) }.map { $0 + .seconds(CivilDate.secondsPerDay) }
    }

    var fields: [(name: String, value: String?)] {
        [("since", sinceText), ("since-offset", sinceOffset), ("until", untilText), ("until-offset", untilOffset)]
    }

    /// The beginning of a day; nil for other text than `2026-01-31`.
    /// - Parameter offset: minutes that UTC is ahead of the reader's clock then, as scripts count them.
    private static func day(_ text: String, _ offset: String?) -> Timestamp? {
        guard let date = CivilDate(text), date.year >= 1970 else { return nil }
        let minutes = offset.flatMap { Int64($0) }.flatMap { offsets.contains($0) ? $0 : nil } ?? 0
        return Timestamp(Int64(date.daysSince1970 * CivilDate.secondsPerDay) + minutes * secondsPerMinute)
    }
}
