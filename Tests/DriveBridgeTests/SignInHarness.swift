import FundCore
import FundStore
import Synchronization
import TestSupport

@testable import DriveBridge

/// A store with a person who signs in to cloud stores, and the drives of that person by rclone.
final class SignInHarness: Sendable {
    let fake: FakeStore
    let folder: String
    let store: FundStore
    let ann: User.ID
    let drives: RcloneDrives
    /// The clock of pauses between requests for tokens.
    let clock = ManualClock()

    static let address = "https://office.example/library/drives/sign-in"
    private static let verifier = "canary-verifier-0123456789-0123456789-0123456789"

    init() async throws {
        fake = try FakeStore()
        folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "sign-in"))"
        store = try FundStore.open(at: folder, mode: .create)
        ann = try await store.administration.addUser(
            email: "ann@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
        ).id
        drives = try Self.drives(store, fake, clock: clock)
    }

    deinit {
        try? store.close()
        _ = try? ToolRun.output(["rm", "-rf", folder])
    }

    static func rules(_ fake: FakeStore) throws -> DriveRules {
        var rules = DriveRules()
        for kind in DriveKind.allCases where kind.usesOAuth {
            rules.kinds.insert(kind)
            rules.clients[kind] = DriveClient(
                id: FakeStore.clientID, secretFile: kind == .oneDrive ? nil : fake.secretFile, tenant: FakeStore.tenant)
        }
        rules.signInAddress = address
        rules.privateHosts = FakeStore.hosts.compactMap { AllowedHost($0) }
        rules.authorityFile = try TestAuthority.shared.get().caFile
        return rules
    }

    /// - Parameter port: another one than that of the stores.
    static func drives(
        _ store: FundStore, _ fake: FakeStore, _ rules: DriveRules? = nil, port: Int? = nil,
        clock: ManualClock = ManualClock()
    ) throws -> RcloneDrives {
        var limits = RunLimits()
        // An answer that the fake holds comes when a test lets it.
        limits.tokenWait = .seconds(3600)
        let drives = try RcloneDrives(
            store.drives, try rules ?? Self.rules(fake), executable: BuiltProgram().path,
            substitutes: port.map { port in fake.substitutes.mapValues { _ in "127.0.0.1:\(port)" } }
                ?? fake.substitutes, limits: limits, now: { clock.now })
        if let reason = drives.offReason { throw ServerFailure(reason) }
        return drives
    }

    // MARK: Signing in

    /// Settings with tokens, as a person gets them who consents.
    /// - Parameter verifier: another one than that whose digest the store was given.
    func settings(_ kind: DriveKind, verifier: String? = nil) async throws -> DriveSettings {
        let digest = ContentDigest.of(Self.verifier.utf8)
        let request = DriveSignInRequest(state: "s&t", challenge: Base64.urlText(digest.bytes))
        let page = try drives.signInPage(of: kind, request)
        let back = try await offPool { [fake] in try fake.consent(page) }
        guard back["state"] == "s&t" else { throw ServerFailure("the state is not the one that was sent") }
        let answer = DriveSignInAnswer(
            code: back["code"] ?? "", verifier: verifier ?? Self.verifier, host: back["hostname"])
        return try await drives.settings(of: kind, answer)
    }

    func signIn(_ kind: DriveKind) async throws -> Drive.ID {
        let settings = try await settings(kind)
        try await drives.check(settings)
        return try await store.drives.addDrive(NewDrive(name: kind.title, settings: settings), of: ann).id
    }

    // MARK: Tokens

    func token(of id: Drive.ID) async throws -> DriveToken {
        try DriveToken.of(try await store.drives.driveAccess(id, of: ann).settings)
    }

    /// Keeps other tokens than those that the drive has.
    func change(_ id: Drive.ID, _ change: (inout DriveToken) -> Void) async throws {
        let access = try await store.drives.driveAccess(id, of: ann)
        var token = try DriveToken.of(access.settings)
        change(&token)
        guard try await store.drives.keepToken(try token.text, of: id, ifRevision: access.revision) else {
            throw ServerFailure("the drive has changed")
        }
    }

    /// Lets the access token be as old as one that is renewed.
    func age(_ id: Drive.ID) async throws {
        try await change(id) { token in
            token.fetchedAt = token.fetchedAt - .seconds(3500)
            token.expiresAt = token.expiresAt.map { $0 - .seconds(3500) }
        }
    }

    // MARK: Operations

    func problem(_ work: () async throws -> Void) async throws -> DriveProblem? {
        do { try await work() } catch let error as DriveError { return error.problem }
        return nil
    }

    func names(_ id: Drive.ID, in path: DrivePath = .top, by other: RcloneDrives? = nil) async throws -> [String] {
        try await (other ?? drives).entries(in: path, of: id, ann).map(\.name).sorted()
    }

    func read(_ path: DrivePath, from position: Int64 = 0, of id: Drive.ID) async throws -> [UInt8] {
        let bytes = Mutex<[UInt8]>([])
        try await drives.read(path, from: position, size: nil, of: id, ann) { piece in bytes.withLock { $0 += piece } }
        return bytes.withLock { $0 }
    }

    func write(_ bytes: [UInt8], to path: DrivePath, of id: Drive.ID) async throws {
        let position = Mutex(0)
        try await drives.write(path, size: Int64(bytes.count), of: id, ann) { room in
            position.withLock { position in
                let count = min(room.count, bytes.count - position)
                room.copyBytes(from: bytes[position..<(position + count)])
                position += count
                return count
            }
        }
    }
}
