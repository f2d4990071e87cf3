internal import FundHTTP
internal import Dispatch
import FundCore
internal import Synchronization

/// Compares a password with the stored hash, at the same cost for every name.
struct PasswordCheck: Sendable {
    struct Proof: Sendable {
        var user: User
        /// The hash that is stored now.
        var hash: String
        var factors: SecondFactors
    }

    private let store: any AccountStore
    private let parameters: ScryptParameters
    let workers: HashWorkers
    private let unmatchable: PasswordHash

    init(store: any AccountStore, settings: AccountSettings) {
        self.store = store
        parameters = settings.scrypt
        workers = HashWorkers(count: settings.concurrentHashes, maxWaiting: settings.waitingHashes)
        unmatchable = .unmatchable(settings.scrypt)
    }

    /// Hashes computed so far.
    var hashCount: Int { workers.ended }

    /// Nil when the password is wrong, or the user does not exist, is disabled or has no password. Throws `busy`.
    /// - Parameter isKnown: it comes from where this user signed in before: strangers do not keep it waiting.
    func check(
        _ password: Password, of name: String, from address: ClientAddress, isKnown: Bool
    ) async throws -> Proof? {
        let account = try await store.account(named: name)
        let kept = account.flatMap { $0.user.isDisabled ? nil : $0.passwordHash }
        let hash = kept.flatMap { PasswordHash($0) } ?? unmatchable
        let isRight = try await workers.run(for: address.description, isAhead: isKnown) { try hash.matches(password) }
        guard isRight, let account, let kept else { return nil }
        return Proof(
            user: account.user, hash: await strengthened(hash, kept: kept, of: account.user, password),
            factors: account.factors)
    }

    /// The hash of a new password, computed on the same threads.
    func hash(_ password: Password, from address: ClientAddress? = nil) async throws -> String {
        try await workers.run(for: address?.description) { [parameters] in
            try PasswordHash(of: password, parameters: parameters).text
        }
    }

    /// Hashes the password again if the cost was raised since. If that fails, the next login tries again.
    private func strengthened(_ hash: PasswordHash, kept: String, of user: User, _ password: Password) async -> String {
        guard hash.parameters.isWeaker(than: parameters), let text = try? await self.hash(password),
            (try? await store.replacePasswordHash(kept, with: text, of: user.id)) == true
        else { return kept }
        return text
    }
}

/// Computes password hashes on a few threads of their own: each takes a third of a second, which would block Swift's
/// threads, and 128 MiB, so that many at a time would take all memory.
final class HashWorkers: Sendable {
    /// Seconds after which a client that is refused may try again.
    private static let retryAfterSeconds: Int64 = 2

    /// Serial queues, since each has a thread of its own.
    private let queues: ResourcePool<DispatchQueue>
    private let endedCount = Atomic<Int>(0)

    init(count: Int, maxWaiting: Int) {
        queues = ResourcePool(
            (0..<max(1, count)).map { DispatchQueue(label: "fundmail.server.hash.\($0)") }, maxWaiting: maxWaiting)
    }

    /// Count of the hashes that wait for a thread.
    var waitingCount: Int { queues.waitingCount }
    /// Hashes computed so far.
    var ended: Int { endedCount.load(ordering: .relaxed) }

    /// Throws `busy` when too many wait already, or half of them are of this origin.
    /// - Parameter isAhead: waits before all others that are not, in places of its own.
    func run<Value: Sendable>(
        for origin: String? = nil, isAhead: Bool = false, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let queue: DispatchQueue
        do { queue = try await queues.acquire(for: origin, isAhead: isAhead) } catch ResourcePoolError.full {
            throw AuthenticationError.busy(retryAfterSeconds: Self.retryAfterSeconds)
        }
        defer {
            endedCount.add(1, ordering: .relaxed)
            queues.release(queue)
        }
        return try await queue.run(body)
    }
}

/// The name that a user signs in with, in one form for all ways to write it.
enum LoginName {
    /// An address in the form in which addresses are compared; other text in lower case. Cut to the length of the
    /// longest address (RFC 5321 §4.5.3.1).
    static func normal(_ typed: String) -> String {
        let text = String(decoding: typed.utf8.prefix(320), as: UTF8.self)
        var scalars = text.unicodeScalars[...]
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        let trimmed = String(scalars)
        return EmailAddress(trimmed)?.description ?? trimmed.lowercased()
    }
}
