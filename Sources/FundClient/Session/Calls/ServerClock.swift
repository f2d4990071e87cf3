public import Foundation
internal import HTTPTypes
internal import Synchronization

/// The time of a server, from the `Date` fields of its responses (RFC 9110 §6.6.1), for calls that are signed with it.
public final class ServerClock: Sendable {
    /// Difference of the clocks up to which servers take a sign (docs/programs.md).
    public static let tolerance = Duration.seconds(300)

    private let seconds = Mutex<TimeInterval?>(nil)

    /// Creates a clock that goes by this machine's until the first response.
    public init() {}

    /// By how much the server's clock is ahead of this machine's; nil before the first response. To a second.
    public var difference: Duration? { seconds.withLock { $0 }.map { .seconds($0) } }

    /// The server's time; this machine's before the first response.
    public var now: Date { Date(timeIntervalSinceNow: seconds.withLock { $0 } ?? 0) }

    func learn(from head: HTTPResponse, at now: Date = Date()) {
        guard let text = head.headerFields[.date], let date = HTTPDate.read(text) else { return }
        seconds.withLock { $0 = date.timeIntervalSince(now).rounded() }
    }
}

/// Times in fields of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7, the form that servers must send).
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Nil for other text.
    static func read(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
            let month = months.firstIndex(of: String(words[2])), (1...31).contains(day), (1...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, clock.allSatisfy({ (0...60).contains($0) }) else { return nil }
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (year, month + 1, day)
        (parts.hour, parts.minute, parts.second) = (clock[0], clock[1], clock[2])
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: parts)
    }
}
