import Foundation
import Terminal

extension WrittenTime {
    /// `2026-11-21 09:05` in the time zone of this machine; nothing for no time.
    static func local(_ date: Date?) -> String {
        guard let date, let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return "" }
        return local(seconds)
    }
}

extension Duration {
    /// Seconds with their fraction.
    var seconds: Double { self / .seconds(1) }
}
