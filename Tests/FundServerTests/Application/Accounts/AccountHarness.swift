import TestSupport
internal import Foundation
import FundStore
import FundCore
internal import Synchronization

@testable import FundHTTP
@testable import FundServer

/// A clock that a test moves, and that stands still otherwise unless it is a `running` one.
final class TestClock: Sendable {
    private let seconds: Mutex<Int64>
    private let isRunning: Bool

    init(_ seconds: Int64 = 1_800_000_000) {
        self.seconds = Mutex(seconds)
        isRunning = false
    }

    /// Shows the time of day, for clients that have a clock of their own.
    init(running: Void) {
        seconds = Mutex(0)
        isRunning = true
    }

    var now: Timestamp {
        let shown = seconds.withLock { $0 }
        return isRunning ? .now + .seconds(shown) : Timestamp(shown)
    }

    func advance(_ time: Int64) { seconds.withLock { $0 += time } }
}

extension AccountSettings {
    /// Hashes that take a millisecond.
    static var quick: AccountSettings {
        var settings = AccountSettings()
        settings.scrypt = ScryptParameters(logRounds: 4, blockSize: 8, parallelism: 1)
        return settings
    }
}

/// A store with two users, and what lets them in.
final class AccountHarness: @unchecked Sendable {  // replaced only between two awaits of one test
    static let password = "correct horse battery"

    let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "accounts"))"
    let clock = TestClock()
    let here = ClientAddress("192.0.2.1")
    var settings: AccountSettings
    private(set) var store: FundStore
    private(set) var authenticator: Authenticator
    let ann: User
    let bob: User

    init(_ settings: AccountSettings = .quick) async throws {
        self.settings = settings
        let beginning = try await Self.beginning.value
        try beginning.template.copy(to: folder)
        store = try FundStore.open(at: folder, mode: .existing, searchWait: .seconds(300))
        authenticator = try Self.authenticator(store, settings, clock)
        (ann, bob) = beginning.made
        guard settings.scrypt != AccountSettings.quick.scrypt else { return }
        for user in [ann, bob] { try await setPassword(Self.password, of: user) }
    }

    /// The store with which all harnesses begin, filled once.
    private static let beginning = Task {
        try await FolderTemplate.filled { folder in
            let store = try FundStore.open(at: folder, mode: .create)
            let ann = try await store.administration.addUser(
                email: "ann@example.com", name: nil, isAdministrator: false, addresses: ["a@example.com"], actor: "t")
            let bob = try await store.administration.addUser(
                email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
            let accounts = Accounts(store: store.accounts, scrypt: AccountSettings.quick.scrypt)
            for user in [ann, bob] { try await accounts.setPassword(password, of: user, actor: "t") }
            try store.close()
            return (ann, bob)
        }
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func setPassword(_ password: String, of user: User) async throws {
        try await Accounts(store: store.accounts, scrypt: settings.scrypt).setPassword(password, of: user, actor: "t")
    }

    /// Stops and starts the server.
    func restart() throws {
        try store.close()
        store = try FundStore.open(at: folder, mode: .existing, searchWait: .seconds(300))
        authenticator = try Self.authenticator(store, settings, clock)
    }

    /// The refusal of a login; nil when it succeeds.
    func refusal(
        _ name: String = "ann@example.com", _ password: String = password, from address: String? = nil
    ) async throws -> AuthenticationError? {
        do {
            _ = try await authenticator.logIn(
                .web, name: name, password: password, from: address.map { ClientAddress($0) } ?? here, label: "t")
            return nil
        } catch let refusal as AuthenticationError {
            return refusal
        }
    }

    private static func authenticator(
        _ store: FundStore, _ settings: AccountSettings, _ clock: TestClock
    ) throws -> Authenticator {
        try Authenticator(store: store.accounts, settings: settings, now: { clock.now })
    }
}
