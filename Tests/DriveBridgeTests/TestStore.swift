import FundCore
import Synchronization
import TestSupport

@testable import DriveBridge

/// A WebDAV server of rclone behind TLS, and a name for it that only tests resolve.
final class TestStore: Sendable {
    static let host = "mail.example.org"
    static let user = "ann"
    static let password = "canary-\u{68C0}\u{67E5}`&secret"

    let folder: String
    let port: Int
    private let process: ServerProcess

    init(_ certificate: TestAuthority.Certificate = .wrongHost) throws {
        folder = try TestFile.makeFolder("drive")
        try TestFile.makeDirectory("\(folder)/files")
        let authority = try TestAuthority.shared.get()
        let process = try ServerProcess(
            [
                "rclone", "serve", "webdav", "\(folder)/files", "--addr", "127.0.0.1:0", "--cert",
                authority.certificatePath(certificate), "--key", authority.keyPath(certificate), "--user", Self.user,
                "--pass", Self.password, "-v", "--config", "/dev/null",
            ], folder: folder)
        self.process = process
        port = try firstResult(orElse: "rclone does not serve: \(process.log)") {
            process.log.split(separator: "127.0.0.1:").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    var log: String { process.log }

    func stop() { process.stop() }

    func path(_ name: String) -> String { "\(folder)/files/\(name)" }

    static func settings(password: String = TestStore.password, host: String = TestStore.host) throws -> DriveSettings {
        try DriveSettings(.webdav, ["url": "https://\(host)/", "user": user, "pass": password])
    }

    /// Drives of one kind of settings that lead to a port of this machine.
    static func drives(
        _ port: Int, _ settings: DriveSettings? = nil, trusting: Bool = true, limits: RunLimits = RunLimits()
    ) throws -> (drives: RcloneDrives, notes: OneDrive) {
        var rules = DriveRules()
        rules.privateHosts = [AllowedHost(host)].compactMap { $0 }
        rules.authorityFile = trusting ? try TestAuthority.shared.get().caFile : nil
        let store = OneDrive(try settings ?? Self.settings())
        let drives = try RcloneDrives(
            store, rules, executable: BuiltProgram().path, substitutes: [host: "127.0.0.1:\(port)"],
            limits: limits)
        if let reason = drives.offReason { throw ServerFailure(reason) }
        return (drives, store)
    }
}

/// A store of one drive of two people, which notes what it is told.
final class OneDrive: DriveStore {
    static let id = Drive.ID(rawValue: 1)
    static let user = User.ID(rawValue: 1)
    static let other = User.ID(rawValue: 2)

    private let settings: DriveSettings
    private let noted = Mutex<[DriveProblem?]>([])

    init(_ settings: DriveSettings) { self.settings = settings }

    var problems: [DriveProblem?] { noted.withLock { $0 } }

    func driveAccess(_ id: Drive.ID, of user: User.ID) async throws -> DriveAccess {
        guard id == Self.id, user == Self.user || user == Self.other else {
            throw StoreError(.notFound, "find a drive", "")
        }
        let drive = Drive(
            id: id, user: user, name: "d", kind: settings.kind, host: TestStore.host, addedAt: Timestamp(0))
        return DriveAccess(drive: drive, settings: settings, revision: 1)
    }

    func noteProblem(_ problem: DriveProblem?, of id: Drive.ID) async throws { noted.withLock { $0.append(problem) } }

    private struct Unused: Error {}

    func drives(of user: User.ID) async throws -> [Drive] { throw Unused() }
    func drive(_ id: Drive.ID, of user: User.ID) async throws -> Drive { throw Unused() }
    func addDrive(_ drive: NewDrive, of user: User.ID) async throws -> Drive { throw Unused() }
    func checkNewDrive(named name: String, of user: User.ID) async throws { throw Unused() }
    func renameDrive(_ id: Drive.ID, to name: String, of user: User.ID) async throws -> Drive { throw Unused() }
    func changeDrive(_ id: Drive.ID, _ settings: DriveSettings, of user: User.ID) async throws -> Drive {
        throw Unused()
    }
    func removeDrive(_ id: Drive.ID, of user: User.ID) async throws { throw Unused() }
    func keepToken(_ token: String, of id: Drive.ID, ifRevision revision: Int64) async throws -> Bool { throw Unused() }
    func tokenLease(of id: Drive.ID) async throws -> (any MailboxLease)? { throw Unused() }
    func transfers(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DriveTransfer> { throw Unused() }
    func transfer(_ id: DriveTransfer.ID, of user: User.ID) async throws -> DriveTransfer { throw Unused() }
    func addTransfer(_ transfer: NewDriveTransfer, of user: User.ID) async throws -> DriveTransfer { throw Unused() }
    func cancelTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws { throw Unused() }
    func retryTransfer(_ id: DriveTransfer.ID, of user: User.ID) async throws { throw Unused() }
    func driveVersion(of user: User.ID) async throws -> Int64 { throw Unused() }
    func changedDrives(after number: Int64?) async throws -> ChangedLibraries { throw Unused() }
}
