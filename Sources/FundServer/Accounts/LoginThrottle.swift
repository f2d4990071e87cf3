internal import Crypto
internal import Foundation
import FundCore
internal import Synchronization

/// Keeps failed logins and makes those who fail wait, see `BackOff`.
final class LoginThrottle: Sendable {
    /// Attempts at one place that wait for others to end; more are refused.
    private static let maxWaiting = 32

    /// Attempts at a place whose end is not known yet.
    private struct Pending {
        var count = 0
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let store: any AccountStore
    private let backOff: BackOff
    private let key: SymmetricKey
    private let pending = Mutex<[LoginPlace: Pending]>([:])

    init(store: any AccountStore, backOff: BackOff, serverKey: [UInt8]) {
        self.store = store
        self.backOff = backOff
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array("fundmail login names".utf8),
            outputByteCount: 32)
    }

    /// A name is kept as a keyed hash, known or not: people type passwords into the wrong field.
    func place(name: String, from address: ClientAddress) -> LoginPlace {
        let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8), using: key)
        return LoginPlace(name: ContentDigest(bytes: Array(code))?.hex ?? "", address: address.description)
    }

    /// Runs `attempt`, which gives nil when it failed, unless the place has to wait: throws `tooManyFailures` then. An attempt that
    /// throws, because nobody could check it, counts as none.
    ///
    /// Attempts under way count as failures until they end, else a hundred guesses at a time would be as good as one. Who would
    /// have to wait for that reason only waits for their end.
    func run<Value: Sendable>(
        at place: LoginPlace, now: Int64, _ attempt: () async throws -> Value?
    ) async throws -> Value? {
        while true {
            // Counted before the failures are read: whichever order two attempts end in, none is overlooked.
            let others = enter(place)
            do {
                defer { leave(place) }
                var history = try await store.loginHistory(of: place, at: now)
                let wait = backOff.wait(history, now: now)
                guard wait == 0 else { throw AuthenticationRefusal.tooManyFailures(retryAfterSeconds: wait) }
                if others > 0 { history.pair = LoginFailures(count: history.pair.count + others, lastAt: now) }
                if backOff.wait(history, now: now) == 0 {
                    let value = try await attempt()
                    try await store.noteLogin(from: place, succeeded: value != nil, at: now)
                    return value
                }
            }
            try await othersEnd(at: place)
        }
    }

    private func enter(_ place: LoginPlace) -> Int {
        pending.withLock { pending in
            let others = pending[place]?.count ?? 0
            pending[place, default: Pending()].count += 1
            return others
        }
    }

    private func leave(_ place: LoginPlace) {
        let waiting = pending.withLock { pending in
            guard var state = pending.removeValue(forKey: place) else { return [CheckedContinuation<Bool, Never>]() }
            let waiting = state.waiting
            state.count -= 1
            state.waiting = []
            if state.count > 0 { pending[place] = state }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Until one of those under way ends. Throws `busy` when too many wait for that.
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
        guard isAdmitted else { throw AuthenticationRefusal.busy(retryAfterSeconds: 2) }
    }
}
