internal import FundCore

/// One attempt at a pull: files and folders of a drive into a place of the library.
struct PullRun: Sendable {
    /// Files of one transfer that are read at a time: a small one waits for its store nearly all the time.
    static let concurrency = 4

    let register: any TransferRegister
    let drives: any DriveOperations
    let library: any TransferLibrary
    let transfer: DriveTransfer
    let count: TransferCount
    /// Places for files under way, of all transfers.
    let places: ResourcePool<Int>

    /// A folder of the drive, and the names of its folders below the place.
    private struct Folder {
        var path: DrivePath
        var names: [String]
    }

    /// Throws what ends the attempt.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var (running, folders) = (0, [Folder]())
            func begin(_ entry: DriveEntry, at path: DrivePath, in names: [String]) async throws {
                count.find(1, bytes: entry.size ?? 0)
                if running >= Self.concurrency {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { try await pull(entry, at: path, in: names) }
            }
            for path in transfer.paths {
                guard let name = path.name else {
                    folders.append(Folder(path: path, names: []))
                    continue
                }
                do {
                    let entry = try await drives.entry(at: path, of: transfer.drive, transfer.user)
                    if entry.isFolder {
                        folders.append(Folder(path: path, names: [name]))
                    } else {
                        try await begin(entry, at: path, in: [])
                    }
                } catch { try count.fail(path, error) }
                while let folder = folders.popLast() {
                    try Task.checkCancellation()
                    for entry in try await entries(of: folder) {
                        guard let path = folder.path.appending(entry.name) else {
                            try count.fail(folder.path, DriveError(.name, "a path in it is too long"))
                            continue
                        }
                        if entry.isFolder {
                            folders.append(Folder(path: path, names: folder.names + [entry.name]))
                        } else {
                            try await begin(entry, at: path, in: folder.names)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func entries(of folder: Folder) async throws -> [DriveEntry] {
        do { return try await drives.entries(in: folder.path, of: transfer.drive, transfer.user) } catch {
            try count.fail(folder.path, error)
            return []
        }
    }

    private func pull(_ entry: DriveEntry, at path: DrivePath, in names: [String]) async throws {
        do {
            guard try await !register.isPulled(path, of: transfer.id) else {
                return count.arrive(isNew: false, bytes: entry.size ?? 0)
            }
            let place = try await places.acquire()
            defer { places.release(place) }
            let file = FilePull(drives: drives, library: library, transfer: transfer, path: path, count: count)
            let (upload, entry) = try await file.run(entry)
            do {
                _ = try await register.addPulled(
                    upload, from: path, version: entry.version, named: entry.name, in: names,
                    modifiedAt: entry.modifiedAt, of: transfer.id)
            } catch {
                count.move(-upload.size)
                throw error
            }
            count.arrive()
        } catch { try count.fail(path, error) }
    }
}
