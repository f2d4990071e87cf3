import FundCore

/// Writes times of UTC for names of files.
enum UTCStamp {
    /// `20261127T150000Z`, as ISO 8601 calls basic.
    static func basic(_ time: Timestamp) -> String { time.internetText.filter { $0 != "-" && $0 != ":" } }
}
