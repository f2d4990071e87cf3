internal import FundCore
internal import Synchronization

/// The time now as the field `Date` has it (RFC 9110 §6.6.1), composed once a second.
final class CurrentDate: Sendable {
    private let known = Mutex((time: Timestamp(0), text: ""))

    var text: String {
        let now = Timestamp.now
        return known.withLock { known in
            if known.time != now || known.text.isEmpty { known = (now, DateText.http(now)) }
            return known.text
        }
    }
}
