internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// Drives, as pages and web API read and change them.
extension UserCall {
    /// Whether people have drives here.
    var hasDrives: Bool { parts.store.drives != nil && parts.drives != nil && parts.drives?.offReason == nil }

    /// Throws `DriveError` with `off` where drives are off.
    var driveStore: any DriveStore & DriveWatchStore {
        get throws {
            guard hasDrives, let store = parts.store.drives else { throw DriveError(.off) }
            return store
        }
    }

    /// Throws as `driveStore`.
    var driveOperations: any DriveOperations {
        get throws {
            guard hasDrives, let operations = parts.drives else { throw DriveError(.off) }
            return operations
        }
    }

    /// The drive of the path parameter `drive`. Throws 404.
    func drive() async throws -> Drive { try await driveStore.drive(try id("drive"), of: try userID) }

    /// The path that a text names. Throws `DriveError` with `name`.
    func drivePath(_ text: String?) throws -> DrivePath {
        guard let path = DrivePath(text ?? "") else { throw DriveError(.name) }
        return path
    }

    /// Something below the top. Throws `DriveError` with `name`.
    func driveItem(_ text: String?) throws -> DrivePath {
        let path = try drivePath(text)
        guard path != .top else { throw DriveError(.name, "the top itself cannot be named here") }
        return path
    }

    // MARK: Drives

    /// Adds a drive once its store has been asked with these settings. Throws `DriveError` when that fails.
    func addDrive(_ name: String, _ settings: DriveSettings) async throws -> Drive {
        let store = try driveStore
        try await check(settings)
        return try await store.addDrive(NewDrive(name: name, settings: settings), of: try userID)
    }

    /// Gives a drive another name or other settings, which are tried first.
    func changeDrive(_ id: Drive.ID, name: String?, _ settings: DriveSettings?) async throws -> Drive {
        let (store, user) = (try driveStore, try userID)
        var drive = try await store.drive(id, of: user)
        if let settings {
            guard settings.kind == drive.kind else {
                throw DriveError(.settings, "kind: a drive keeps the kind that it has")
            }
            try await check(settings)
            drive = try await store.changeDrive(id, settings, of: user)
            forgetContents(of: id)
        }
        if let name, name != drive.name { drive = try await store.renameDrive(id, to: name, of: user) }
        return drive
    }

    private func check(_ settings: DriveSettings) async throws {
        let operations = try driveOperations
        guard operations.kinds.contains(settings.kind) else { throw DriveError(.forbidden) }
        try await withDrivePermit { try await operations.check(settings) }
    }

    /// Forgets a drive. What the store has stays there.
    func removeDrive(_ id: Drive.ID) async throws {
        try await driveStore.removeDrive(id, of: try userID)
        forgetContents(of: id)
    }

    private func forgetContents(of drive: Drive.ID) {
        parts.driveListings.forget(drive)
        parts.drivePreviews.forget(drive)
    }

    // MARK: What is in them

    /// - Parameter isNew: asks the store even when it was asked a moment ago.
    func driveListing(
        of folder: DrivePath, _ order: DriveOrder, of drive: Drive.ID, isNew: Bool = false
    ) async throws -> DriveListing {
        let (operations, user) = (try driveOperations, try userID)
        return try await withDrivePermit {
            try await parts.driveListings.listing(of: folder, order, of: drive, user, isNew: isNew, by: operations)
        }
    }

    func driveEntry(at path: DrivePath, of drive: Drive.ID) async throws -> DriveEntry {
        let (operations, user) = (try driveOperations, try userID)
        return try await withDrivePermit { try await operations.entry(at: path, of: drive, user) }
    }

    /// Files and folders whose names hold a text. Throws 400 without one.
    func foundInDrive(
        _ text: String, below folder: DrivePath, of drive: Drive.ID
    ) async throws -> [(path: DrivePath, entry: DriveEntry)] {
        let (operations, user) = (try driveOperations, try userID)
        guard !text.trimmed.isEmpty else { throw RequestError.invalid("q must be a part of a name") }
        return try await withDrivePermit {
            try await operations.find(
                text.trimmed, below: folder, atMost: DriveSearch.maxFound, of: drive, user)
        }
    }

    /// Sends a file of a drive.
    func driveContent(at path: DrivePath, of drive: Drive.ID) async throws -> Response {
        let entry = try await driveEntry(at: path, of: drive)
        let (operations, user) = (try driveOperations, try userID)
        return try await parts.driveDownloads.response(
            entry, to: request, of: user, over: context.sends, isAllowed: { await isStillSignedIn() }
        ) { take in
            try await operations.read(path, from: 0, size: entry.size, of: drive, user, take: take)
        }
    }

    // MARK: Changes

    func makeDriveFolder(_ path: DrivePath, in drive: Drive.ID) async throws {
        try await changing(drive) { try await $0.makeFolder(path, of: drive, $1) }
    }

    /// Throws `DriveError` with `name` for a move into what is moved itself.
    func moveInDrive(_ path: DrivePath, to target: DrivePath, of drive: Drive.ID) async throws {
        guard path != target else { return }
        guard !target.isWithin(path) else {
            throw DriveError(.name, "a folder cannot go into itself")
        }
        try await changing(drive) { try await $0.move(path, to: target, of: drive, $1) }
    }

    func removeFromDrive(_ path: DrivePath, of drive: Drive.ID) async throws {
        try await changing(drive) { try await $0.remove(path, of: drive, $1) }
    }

    private func changing(
        _ drive: Drive.ID, _ act: (any DriveOperations, User.ID) async throws -> Void
    ) async throws {
        let (operations, user) = (try driveOperations, try userID)
        // Also after a failure: it may have been done all the same.
        defer { parts.driveListings.forget(drive) }
        try await withDrivePermit { try await act(operations, user) }
    }

    /// Runs an operation, of which a user has some at the same time. Throws 503 beyond.
    /// - Parameter permits: nil for those of operations that a person waits for.
    func withDrivePermit<Value: Sendable>(
        of permits: UserPermits? = nil, _ work: () async throws -> Value
    ) async throws -> Value {
        guard let permit = (permits ?? parts.drivePermits).permit(for: try userID) else { throw RequestError.busy }
        defer { withExtendedLifetime(permit) {} }
        return try await work()
    }

    // MARK: Transfers

    /// Begins a transfer. Throws 404 for a place or drive that is not the user's.
    func beginTransfer(_ transfer: NewDriveTransfer) async throws -> DriveTransfer {
        let (store, user) = (try driveStore, try userID)
        switch transfer.work {
        case .pull(let paths, let place):
            guard !paths.isEmpty else { throw RequestError.invalid("paths must name something") }
            _ = try await library.fund(place.fund, of: user)
        case .push(let items, _):
            guard !items.isEmpty else { throw RequestError.invalid("items must name something") }
        }
        return try await store.addTransfer(transfer, of: user)
    }
}

extension DriveOrder {
    /// `sort=name`; `sort=-size` for descending order.
    init(_ query: QueryText) throws {
        let sort: (key: Key, isDescending: Bool)? = try query.sort()
        self = sort.map { DriveOrder(key: $0.key, isDescending: $0.isDescending) } ?? DriveOrder()
    }
}

/// A drive as one user reaches it: answers about it are not another user's.
struct UserDrive: Hashable, Sendable {
    var user: User.ID
    var drive: Drive.ID
}

/// Bounds of a search by name.
enum DriveSearch {
    /// Most that one search finds.
    static let maxFound = 200
}
