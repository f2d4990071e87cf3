internal import Synchronization
package import FundCore

/// Listings, searches and the room of a drive.
extension RcloneDrives {
    /// Time for a search.
    private static let searchSeconds = 30.0
    /// Limit of what rclone says of one entry, or of the room.
    private static let maxTextBytes = 256 << 10

    package func check(_ settings: DriveSettings) async throws {
        let remote = try remote(settings)
        try await run(
            ["lsjson", "--no-modtime", "--no-mimetype", "--stat", remote.remote(.top)], remote, naming: [],
            atMost: Self.answerSeconds)
        // Stores of objects say of every place that it is a folder.
        if remote.hasOnlyObjects {
            try await run(
                ["lsjson", "--no-modtime", "--no-mimetype", remote.remote(.top)], remote, naming: [],
                atMost: Self.answerSeconds)
        }
    }

    package func entries(in folder: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> [DriveEntry] {
        try await withDrive(drive, user) { remote in
            try await checkNames(of: folder, remote)
            let entries = try await list(
                ["lsjson"] + remote.listing + ["--", remote.remote(folder)], remote, folder)
            if remote.mayRepeatNames { repeated.note(entries.lazy.map(\.name), in: folder, of: "\(drive)") }
            return entries
        }
    }

    private func list(
        _ words: [String], _ remote: RemoteConfiguration, _ folder: DrivePath
    ) async throws -> [DriveEntry] {
        let found = Mutex((lines: EntryLines(), entries: [DriveEntry](), weight: 0))
        try await run(words, remote, naming: folder.names, atMost: Self.listSeconds) { bytes in
            try found.withLock { found in
                try found.lines.read(bytes) { listed in
                    let entry = listed.entry()
                    found.entries.append(entry)
                    found.weight += entry.weight
                    guard found.entries.count <= DriveLimits.maxEntries, found.weight <= DriveLimits.maxListingBytes
                    else { throw DriveError(.tooMany) }
                }
            }
        }
        return found.withLock { $0.entries }
    }

    package func entry(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry {
        try await withDrive(drive, user) { remote in
            try await checkNames(of: path, remote)
            return try await entry(at: path, remote)
        }
    }

    package func file(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry? {
        guard path != .top else { return nil }
        return try await withDrive(drive, user) { remote in
            try await checkNames(of: path, remote)
            if path.isServed, let service = try await service(of: remote) {
                do { return try await file(at: path, remote, by: service) } catch is ServiceGap {}
            }
            do {
                let entry = try await entry(at: path, remote)
                return entry.isFolder ? nil : entry
            } catch let error as DriveError where error.problem == .notFound { return nil }
        }
    }

    /// Asks a service, which answers sooner than a child of its own begins. Throws `ServiceGap` when it cannot.
    private func file(
        at path: DrivePath, _ remote: RemoteConfiguration, by service: RcloneService
    ) async throws -> DriveEntry? {
        let listed = try await service.file(at: remote.served(path), remote.listing, naming: path.names)
        return listed.flatMap { $0.entry(named: path.name) }.flatMap { $0.isFolder ? nil : $0 }
    }

    /// Throws `ambiguous` where one of the names of a path stands twice in its folder. Lists the folders above it that
    /// were not listed of late, in stores that allow such names.
    func checkNames(of path: DrivePath, _ remote: RemoteConfiguration) async throws {
        guard remote.mayRepeatNames, let drive = remote.drive else { return }
        var folder = DrivePath.top
        for name in path.names {
            var names = repeated.names(in: folder, of: drive)
            if names == nil {
                do {
                    let entries = try await list(
                        ["lsjson", "--no-modtime", "--no-mimetype", "--", remote.remote(folder)], remote, folder)
                    repeated.note(entries.lazy.map(\.name), in: folder, of: drive)
                    names = repeated.names(in: folder, of: drive)
                } catch let error as DriveError where error.problem == .notFound {
                    // The operation says so itself, or makes the folder.
                    return
                }
            }
            guard names?.contains(name) != true else { throw DriveError(.ambiguous) }
            guard let next = folder.appending(name) else { return }
            folder = next
        }
    }

    func entry(at path: DrivePath, _ remote: RemoteConfiguration) async throws -> DriveEntry {
        // The top has no name of its own.
        let name = path.name ?? "/"
        guard path.name != nil else { return DriveEntry(name: name, isFolder: true) }
        if path.isServed, let service = runningService(of: remote) {
            do { if let file = try await file(at: path, remote, by: service) { return file } } catch is ServiceGap {}
        }
        let answer = try await answer(
            ["lsjson", "--stat"] + remote.listing + ["--", remote.remote(path)], remote, path)
        guard let entry = ListedEntry.read(answer)?.entry(named: name) else { throw DriveError(.broken, "an entry") }
        // Stores of objects have folders only where something is in them, and rclone takes every other name for one.
        if entry.isFolder, remote.hasOnlyObjects, try await isEmpty(path, remote) { throw DriveError(.notFound) }
        return entry
    }

    private func isEmpty(_ folder: DrivePath, _ remote: RemoteConfiguration) async throws -> Bool {
        let lines = Mutex(EntryLines())
        do {
            try await run(
                ["lsjson", "--no-modtime", "--no-mimetype", "--", remote.remote(folder)], remote, naming: folder.names,
                atMost: Self.listSeconds
            ) { bytes in
                try lines.withLock { try $0.read(bytes) { _ in throw SearchEnd() } }
            }
            return true
        } catch is SearchEnd {
            return false
        }
    }

    private func answer(
        _ words: [String], _ remote: RemoteConfiguration, _ path: DrivePath
    ) async throws -> [UInt8] {
        let answer = Mutex<[UInt8]>([])
        try await run(words, remote, naming: path.names, atMost: Self.answerSeconds) { bytes in
            try answer.withLock { answer in
                answer += bytes
                guard answer.count <= Self.maxTextBytes else { throw DriveError(.broken, "an answer") }
            }
        }
        return answer.withLock { $0 }
    }

    package func find(
        _ text: String, below folder: DrivePath, atMost count: Int, of drive: Drive.ID, _ user: User.ID
    ) async throws -> [(path: DrivePath, entry: DriveEntry)] {
        let wanted = text.caseFolded
        return try await withDrive(drive, user) { remote in
            let found = Mutex((lines: EntryLines(), entries: [Found]()))
            try await checkNames(of: folder, remote)
            do {
                try await run(
                    ["lsjson", "--recursive"] + remote.listing + ["--", remote.remote(folder)], remote,
                    naming: folder.names, atMost: Self.searchSeconds
                ) { bytes in
                    try found.withLock { found in
                        try found.lines.read(bytes) { listed in
                            let entry = listed.entry()
                            guard entry.name.caseFolded.contains(wanted),
                                let below = DrivePath(listed.path),
                                let path = DrivePath(folder.names + below.names)
                            else { return }
                            found.entries.append(Found(path: path, entry: entry))
                            if found.entries.count >= count { throw SearchEnd() }
                        }
                    }
                }
            } catch is SearchEnd {
            } catch let error as DriveError where error.problem == .tooSlow || error.problem == .tooMany {
                // Entries that were found before the limit of time or size are the answer.
            }
            return found.withLock { $0.entries }
        }.map { ($0.path, $0.entry) }
    }

    private struct Found: Sendable {
        var path: DrivePath
        var entry: DriveEntry
    }

    /// Enough was found.
    private struct SearchEnd: Error {}

    package func space(of drive: Drive.ID, _ user: User.ID) async throws -> DriveSpace {
        try await withDrive(drive, user) { remote in
            do {
                let answer = try await answer(["about", "--json", remote.remote(.top)], remote, .top)
                return SpaceAnswer.read(answer)
            } catch let error as DriveError where error.problem == .server {
                // Many kinds cannot tell (`about` of rclone.org/overview).
                return DriveSpace()
            }
        }
    }
}
