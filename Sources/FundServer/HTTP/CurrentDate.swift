internal import FundCore
internal import Synchronization

/// The time now as the field `Date` has it (RFC 9110 §6.6.1), composed once a second.
final class CurrentDate: Sendable {
    private let known = Mutex<(time: Timestamp, text: String)?>(nil)

    var text: String {
        let now = Timestamp.now
        return known.withLock { known in
            if let known, known.time == now { return known.text }
            let text = DateText.http(now)
            known = (now, text)
            return text
        }
    }
}
