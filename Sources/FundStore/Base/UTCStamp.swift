import FundCore

/// Writes times of UTC for names of files.
enum UTCStamp {
    /// `20261127T150000Z`, as ISO 8601 calls basic.
    static func basic(_ time: Timestamp) -> String {
        let seconds = max(0, Int(time.rawValue))
        let date = CivilDate(daysSince1970: seconds / CivilDate.secondsPerDay)
        let clock = ClockTime(secondOfDay: seconds % CivilDate.secondsPerDay)?.text ?? ""
        return "\(date.text)T\(clock)Z".filter { $0 != "-" && $0 != ":" }
    }
}
