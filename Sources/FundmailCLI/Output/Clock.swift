import ArgumentParser
import FundCore
import Terminal

/// Points in time as people and JSON write them.
enum Clock {
    /// RFC 3339, UTC.
    static func timestamp(_ time: Timestamp) -> String { WrittenTime.utc(time.rawValue) }

    /// For people, in the time zone of this machine.
    static func local(_ time: Timestamp) -> String { WrittenTime.local(time.rawValue) }

    /// Reads `7d` as that long ago and `2026-01-01` as midnight of that day here. Nil for anything else.
    static func since(_ text: String, now: Timestamp = .now) -> Timestamp? {
        Quantity.seconds(text).map { now - .seconds($0) } ?? WrittenTime.midnight(text).map { Timestamp($0) }
    }

    /// The time that an option names, as `since` reads it. Throws `ValidationError`.
    static func since(_ text: String, of option: String) throws -> Timestamp {
        guard let time = since(text) else {
            throw ValidationError("\(option) \(text): write 7d, 12h, or a date such as 2026-01-01")
        }
        return time
    }

    /// Reads `7d` as in that long and `2026-01-01` as midnight of that day here. Nil for anything else.
    static func until(_ text: String, now: Timestamp = .now) -> Timestamp? {
        Quantity.seconds(text).map { now + .seconds($0) } ?? WrittenTime.midnight(text).map { Timestamp($0) }
    }
}
