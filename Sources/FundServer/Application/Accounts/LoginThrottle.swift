internal import FundHTTP
internal import Crypto
import FundCore
internal import Synchronization

/// Records failed logins and applies `BackOff`.
final class LoginThrottle: Sendable {
    /// Attempts at one place that may wait for others to end; more are refused.
    private static let maxWaiting = 32

    /// The attempts at a place that have not ended.
    private struct Pending {
        var count = 0
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let store: any AccountStore
    private let backOff: BackOff
    private let key: SymmetricKey
    private let pending = Mutex<[LoginPlace: Pending]>([:])

    /// - Parameter kind: what is tried. Attempts of another kind are no attempts of this one, whatever name they give.
    init(store: any AccountStore, backOff: BackOff, serverKey: [UInt8], kind: String = "login names") {
        self.store = store
        self.backOff = backOff
        key = SymmetricKey(serverKey: serverKey, purpose: "fundmail \(kind)")
    }

    /// Names are stored as keyed hashes, since users type passwords into the name field by mistake.
    func place(name: String, from address: ClientAddress) -> LoginPlace {
        let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key)
        return LoginPlace(name: ContentDigest(bytes: Array(code))?.hex ?? "", address: address.description)
    }

    /// Runs `attempt`, which is told whether the place is known and returns nil when it failed. Throws
    /// `tooManyFailures` when the place has to wait. An attempt that throws did not check anything and does not count.
    ///
    /// Attempts under way count as failures until they end; otherwise a hundred guesses at a time would cost no more
    /// than one. An attempt that the back-off would delay only because of them waits for one of them to end instead.
    /// - Parameter isKnown: the device is one on which this user signed in before; so is a place with a success in its
    ///   history.
    func run<Value: Sendable>(
        at place: LoginPlace, now: Timestamp, isKnown: Bool, _ attempt: (Bool) async throws -> Value?
    ) async throws -> Value? {
        while true {
            // Counted before the history is read: then no order of two attempts leaves one uncounted.
            let others = enter(place)
            do {
                defer { leave(place) }
                var history = try await store.loginHistory(of: place, at: now)
                history.isFamiliar = history.isFamiliar || isKnown
                let wait = backOff.wait(history, now: now)
                guard wait == 0 else { throw AuthenticationError.tooManyFailures(retryAfterSeconds: wait) }
                if others > 0 { history.pair = LoginFailures(count: history.pair.count + others, lastAt: now) }
                if backOff.wait(history, now: now) == 0 {
                    let value = try await attempt(history.isFamiliar)
                    try await store.noteLogin(from: place, succeeded: value != nil, at: now)
                    return value
                }
            }
            try await othersEnd(at: place)
        }
    }

    private func enter(_ place: LoginPlace) -> Int {
        pending.withLock { pending in
            defer { pending[place, default: Pending()].count += 1 }
            return pending[place]?.count ?? 0
        }
    }

    private func leave(_ place: LoginPlace) {
        let waiting = pending.withLock { pending in
            let state = pending.removeValue(forKey: place) ?? Pending()
            if state.count > 1 { pending[place] = Pending(count: state.count - 1) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until one of the attempts under way ends. Throws `busy` when too many wait for that.
    private func othersEnd(at place: LoginPlace) async throws {
        let isAdmitted = await withCheckedContinuation { continuation in
            let isAdmitted = pending.withLock { pending -> Bool? in
                guard let state = pending[place], state.count > 0 else { return true }
                guard state.waiting.count < Self.maxWaiting else { return false }
                pending[place]?.waiting.append(continuation)
                return nil
            }
            if let isAdmitted { continuation.resume(returning: isAdmitted) }
        }
        guard isAdmitted else { throw AuthenticationError.busy(retryAfterSeconds: 2) }
    }
}
