import FundCore
import FundStore
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// Access tokens that end, and refresh tokens that are good once.
@Suite(.startsPrograms) struct TokenKeeperTests {
    private static let big = DrivePath("big.bin") ?? .top
    private static let bigBytes = 65536 * 144
    /// The position that no read of another test begins at.
    private static let begin: Int64 = 4711

    /// The new refresh token is kept, and the old one is refused from then on: nothing is asked after that.
    @Test func refreshTokensAreGoodOnce() async throws {
        let harness = try await SignInHarness()
        let (id, fake) = (try await harness.signIn(.box), harness.fake)
        let first = try await harness.token(of: id)
        try await harness.age(id)
        #expect(try await harness.names(id) == ["Reports", "big.bin"])
        let second = try await harness.token(of: id)
        #expect(second.access != first.access && second.refresh != first.refresh)
        _ = try await harness.names(id)
        #expect(fake.count("token box rotated") == 1)
        // Before its time, when the store refuses it.
        try fake.order(#"{"revoked": 2}"#)
        #expect(try await harness.names(id) == ["Reports", "big.bin"])
        #expect(fake.count("token box rotated") == 2)
        // An old state comes back, such as that of a backup.
        try await harness.change(id) { token in
            token = first
            token.expiresAt = Timestamp(1)
        }
        for _ in 0..<3 { #expect(try await harness.problem { _ = try await harness.names(id) } == .login) }
        #expect(fake.count("token box refused") == 1 && fake.count("token box refresh_token") == 3)
        #expect(try await harness.store.drives.drive(id, of: harness.ann).problem == .login)
        // Signing in anew ends it.
        let settings = try await harness.settings(.box)
        _ = try await harness.store.drives.changeDrive(id, settings, of: harness.ann)
        #expect(try await harness.names(id) == ["Reports", "big.bin"])
        #expect(try await harness.store.drives.drive(id, of: harness.ann).problem == nil)
    }

    /// The store gives no new refresh token: the old one stays.
    @Test func refreshTokensThatStay() async throws {
        let harness = try await SignInHarness()
        let id = try await harness.signIn(.dropbox)
        let first = try await harness.token(of: id)
        try await harness.age(id)
        _ = try await harness.names(id)
        #expect(try await harness.token(of: id).refresh == first.refresh)
        try harness.fake.order(#"{"grants_revoked": true, "revoked": 1000}"#)
        for _ in 0..<3 { #expect(try await harness.problem { _ = try await harness.names(id) } == .login) }
        #expect(harness.fake.count("token dropbox refused") == 1)
    }

    /// Two processes have the store open, and the access token has ended for both.
    @Test func oneProcessAsksForAll() async throws {
        let harness = try await SignInHarness()
        let (id, fake, ann) = (try await harness.signIn(.box), harness.fake, harness.ann)
        try await harness.age(id)
        try fake.order(#"{"wait_token": true}"#)
        let other = try FundStore.open(at: harness.folder, mode: .existing)
        let drives = try SignInHarness.drives(other, fake)
        let tasks = (0..<4).map { number in
            Task { try await (number.isMultiple(of: 2) ? drives : harness.drives).entries(in: .top, of: id, ann) }
        }
        try await eventually { fake.count("token box refresh_token") > 0 }
        // One who does not wait any more ends nothing for the others.
        tasks[3].cancel()
        try fake.order("{}")
        for task in tasks.prefix(3) { #expect(try await task.value.count == 2) }
        let last = await tasks[3].result
        if case .success(let entries) = last { #expect(entries.count == 2) }
        #expect(fake.count("token box rotated") == 1 && fake.count("token box refused") == 0)
        try other.close()
    }

    /// A store that gives no tokens now is not asked again at once, and nothing is lost.
    @Test func tokenEndpointsThatFail() async throws {
        let harness = try await SignInHarness()
        let id = try await harness.signIn(.box)
        try await harness.age(id)
        try harness.fake.order(#"{"token_down": true}"#)
        for _ in 0..<3 { #expect(try await harness.problem { _ = try await harness.names(id) } == .busy) }
        #expect(harness.fake.count("token box refresh_token") == 1)
        // An answer that says nothing ends no sign-in.
        harness.clock.advance(by: .seconds(5))
        try harness.fake.order(#"{"token_odd": true}"#)
        for _ in 0..<2 { #expect(try await harness.problem { _ = try await harness.names(id) } == .server) }
        #expect(harness.fake.count("token box refresh_token") == 2)
        try harness.fake.order("{}")
        harness.clock.advance(by: .seconds(5))
        #expect(try await harness.names(id) == ["Reports", "big.bin"])
        try await harness.age(id)
        let closed = try HeldPort()
        let lost = try SignInHarness.drives(harness.store, harness.fake, port: closed.number)
        let gone = try await harness.problem { _ = try await harness.names(id, by: lost) }
        #expect(gone == .unreachable)
    }

    /// The token ends while a file comes. While it comes, no other process can read a secret, and the child has no
    /// refresh token. What was cut goes on with the next token.
    @Test func theTokenEndsInALongRead() async throws {
        let harness = try await SignInHarness()
        let (id, fake) = (try await harness.signIn(.box), harness.fake)
        try fake.order(#"{"hold": "big.bin"}"#)
        let taken = Mutex<[UInt8]>([])
        let reading = Task {
            try await harness.drives.read(Self.big, from: Self.begin, size: nil, of: id, harness.ann) { piece in
                taken.withLock { $0 += piece }
            }
        }
        // The store holds back what the service asks for, too, before a child of its own reads so large a file.
        try await eventually { taken.withLock { !$0.isEmpty } }
        let seen = Self.processes()
        #expect(seen.contains { $0.contains("rclone") && $0.contains("\0cat\0--offset\0\(Self.begin)\0") })
        #expect(!seen.contains { $0.contains("canary-access") || $0.contains("canary-refresh") })
        let file = try RemoteConfiguration(try await harness.store.drives.driveAccess(id, of: harness.ann).settings)
            .file
        let text = String(decoding: file, as: UTF8.self)
        #expect(text.contains("canary-access-1") && !text.contains("refresh") && !text.contains("client"))
        try fake.order(#"{"revoked": 1}"#)
        #expect(try await harness.problem { _ = try await reading.value } == .unreachable)
        let position = Int(Self.begin) + taken.withLock { $0.count }
        #expect(position > Int(Self.begin) && position < Self.bigBytes)
        let rest = try await harness.read(Self.big, from: Int64(position), of: id)
        let whole = (Int(Self.begin)..<Self.bigBytes).map { index in UInt8(index % 65536 * 31 / 8 % 256) }
        let came = taken.withLock { $0 } + rest
        #expect(came == whole)
        #expect(fake.count("token box rotated") == 1)
        // Sealed where they are kept, and in no message and no line of the audit.
        for name in TestFile.names(in: harness.folder) where name.hasPrefix("fundmail.sqlite") {
            let bytes = try TestFile.read("\(harness.folder)/\(name)")
            #expect(!bytes.contains("canary-"), "\(name)")
        }
        try fake.order(#"{"grants_revoked": true, "revoked": 1000}"#)
        do { _ = try await harness.names(id) } catch { #expect(!"\(error)".contains("canary")) }
    }

    /// Command lines and environments of the processes that this one has started, and of all others but the fake.
    private static func processes() -> [String] {
        TestFile.names(in: "/proc").compactMap(Int32.init).filter { $0 != getpid() }.map { process in
            ["cmdline", "environ"].map { name in
                String(decoding: (try? TestFile.read("/proc/\(process)/\(name)")) ?? [], as: UTF8.self)
            }.joined()
        }
    }
}

extension [UInt8] {
    /// Whether a text stands somewhere in these bytes.
    fileprivate func contains(_ text: String) -> Bool {
        let wanted = Array<UInt8>(text.utf8)
        guard let first = wanted.first else { return true }
        var index = startIndex
        while let next = self[index...].firstIndex(of: first) {
            if self[next...].starts(with: wanted) { return true }
            index = next + 1
        }
        return false
    }
}
