internal import Crypto
internal import Foundation
import Ingest
internal import Synchronization

/// Keeps failed logins and makes those who fail wait, see `BackOff`.
final class LoginThrottle: Sendable {
    private let store: any AccountStore
    private let backOff: BackOff
    private let key: SymmetricKey
    /// Attempts whose end is not known yet, by place. They count as failures: else a hundred at once would be as good as one.
    private let pending = Mutex<[LoginPlace: Int]>([:])

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

    /// Runs `attempt`, which says whether it succeeded, unless the place has to wait: throws `tooManyFailures` then. An attempt
    /// that throws, because nobody could check it, counts as none.
    func run<Value: Sendable>(
        at place: LoginPlace, now: Int64, _ attempt: () async throws -> Value?
    ) async throws -> Value? {
        // Counted before the failures are read: whichever order two attempts end in, none is overlooked.
        let others = pending.withLock { pending in
            let others = pending
            pending[place, default: 0] += 1
            return others
        }
        defer {
            pending.withLock { pending in
                let count = pending[place, default: 1] - 1
                pending[place] = count > 0 ? count : nil
            }
        }
        var history = try await store.loginHistory(of: place, at: now)
        history.add(others, around: place, now: now)
        let wait = backOff.wait(history, now: now)
        guard wait == 0 else { throw AuthenticationRefusal.tooManyFailures(retryAfterSeconds: wait) }
        let value = try await attempt()
        try await store.noteLogin(from: place, succeeded: value != nil, at: now)
        return value
    }
}

extension LoginHistory {
    fileprivate mutating func add(_ pending: [LoginPlace: Int], around place: LoginPlace, now: Int64) {
        func add(_ count: Int, to failures: inout LoginFailures) {
            guard count > 0 else { return }
            failures = LoginFailures(count: failures.count + count, lastAt: now)
        }
        add(pending[place] ?? 0, to: &pair)
        add(pending.reduce(0) { $0 + ($1.key.address == place.address ? $1.value : 0) }, to: &address)
        add(pending.reduce(0) { $0 + ($1.key.name == place.name ? $1.value : 0) }, to: &name)
    }
}
