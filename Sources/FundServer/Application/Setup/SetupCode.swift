internal import FundCore
internal import Synchronization

/// The code that proves who sits at the console: it opens the set-up of a store without an administrator. It lives in
/// memory, and another one is made at each start.
package final class SetupCode: Sendable {
    /// Wrong codes of all clients together in a minute; further ones are told to wait. The right one is always taken:
    /// 100 random bits are not guessed, and strangers must not be able to keep the administrator out.
    static let maxInMinute = 10
    private static let minute = Duration.seconds(60)
    private static let groups = 5
    /// A code with hyphens and blanks; longer text is none.
    private static let maxTypedBytes = 100

    enum Verdict: Sendable, Hashable {
        case right, wrong
        /// Too many were wrong.
        case wait(seconds: Int64)
        /// The set-up is done.
        case closed
    }

    private struct State {
        /// Times of the last wrong codes, at most `maxInMinute`.
        var recent: [ContinuousClock.Instant] = []
        var isDone = false
    }

    /// Five groups of four characters, 100 random bits: `7k2m-…`, without characters that look alike.
    package let text: String
    private let state = Mutex(State())

    package init() { text = SecureBytes.readableGroups(Self.groups) }

    /// Compares in a time that does not depend on where the codes differ. Case, blanks and hyphens do not matter.
    func check(_ typed: String, at now: ContinuousClock.Instant = .now) -> Verdict {
        let isRight = SecureBytes.areEqual(Self.normal(typed), Self.normal(text))
        return state.withLock { state in
            guard !state.isDone else { return .closed }
            guard !isRight else { return .right }
            state.recent.removeAll { now - $0 >= Self.minute }
            if state.recent.count >= Self.maxInMinute, let first = state.recent.first {
                return .wait(seconds: max(1, (first + Self.minute - now).components.seconds + 1))
            }
            state.recent.append(now)
            return .wrong
        }
    }

    /// From now on no code is right.
    func close() { state.withLock { $0.isDone = true } }

    var isClosed: Bool { state.withLock { $0.isDone } }

    private static func normal(_ typed: String) -> [UInt8] {
        guard typed.utf8.count <= maxTypedBytes else { return [] }
        return typed.lowercased().utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "-"), .space: nil
            case UInt8(ascii: "o"): UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
            default: byte
            }
        }
    }
}
