import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store with a second user, and a drive of the first.
struct DriveHarness {
    let base: StoreHarness
    let bea: User
    let drive: Drive

    var drives: SQLDriveStore { base.store.drives }
    var ann: User.ID { base.ann.id }
    var place: LibraryPlace { LibraryPlace(fund: base.fund.id) }

    static func settings(_ secret: String = "canary", host: String = "cloud.example.com") throws -> DriveSettings {
        try DriveSettings(
            .webdav, ["url": "https://\(host)/dav", "vendor": "nextcloud", "user": "ann", "pass": secret])
    }

    init(faults: FaultInjection = .none, sync: (@Sendable (Int32) -> Int32)? = nil) async throws {
        base = try await StoreHarness(faults: faults, sync: sync)
        bea = try await base.store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        drive = try await base.store.drives.addDrive(
            NewDrive(name: "Cloud", settings: try Self.settings()), of: base.ann.id)
    }

    func upload(_ text: String) throws -> StagedUpload {
        let upload = try base.store.library.makeUpload(named: "a", announcing: nil)
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try upload.finish(contentType: "text/plain")
    }

    func path(_ text: String) throws -> DrivePath { try #require(DrivePath(text)) }

    /// A pull of the top of a drive.
    func pull(_ paths: [String] = ["docs"], of user: User.ID? = nil, from drive: Drive.ID? = nil) async throws
        -> DriveTransfer
    {
        try await drives.addTransfer(
            NewDriveTransfer(drive: drive ?? self.drive.id, work: .pull(try paths.map(path), into: place)),
            of: user ?? ann)
    }
}

/// Whether an error is a `StoreError` with this code.
func hasCode(_ code: StoreError.Code) -> @Sendable (any Error) -> Bool {
    { ($0 as? StoreError)?.code == code }
}
