internal import FundCore

/// One attempt at a pull: files and folders of a drive into a place of the library.
struct PullRun: Sendable {
    /// Files of one transfer that are read at a time: a small one waits for its store nearly all the time.
    static let concurrency = 4
    /// Files of one transfer under way at a time, with those that are made durable and those that are to be read while
    /// a folder is listed.
    private static let maxUnderWay = 4 * concurrency

    let register: any TransferRegister
    let drives: any DriveOperations
    let library: any TransferLibrary
    let transfer: DriveTransfer
    let count: TransferCount
    let limits: TransferLimits
    /// Places for files under way, of all transfers.
    let places: ResourcePool<Int>
    private let reads = ResourcePool(Array(0..<PullRun.concurrency))

    /// The folders that were found and not listed yet, within the bounds of a transfer.
    private struct Found {
        let limits: TransferLimits
        private var folders: [DrivePath] = []
        private var folderBytes = 0

        init(_ limits: TransferLimits) { self.limits = limits }

        /// Throws `tooMany` beyond `maxFolderBytes`.
        mutating func add(_ folder: DrivePath) throws {
            folderBytes += Self.bytes(of: folder)
            guard folderBytes <= limits.maxFolderBytes else {
                throw DriveError(.tooMany, "the folders of a transfer are too many to be listed")
            }
            folders.append(folder)
        }

        mutating func next() -> DrivePath? {
            let folder = folders.popLast()
            folderBytes -= folder.map(Self.bytes) ?? 0
            return folder
        }

        /// Bytes that a path takes in memory at most, beside the names that it shares with its parent.
        private static func bytes(of path: DrivePath) -> Int {
            64 + path.names.count * MemoryLayout<String>.stride + (path.name?.utf8.count ?? 0)
        }
    }

    /// Takes a file that was found: what, where, and the names of the folders in which it is put.
    private typealias Begin = (DriveEntry, DrivePath, [String]) async throws -> Void

    /// Throws what ends the attempt.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            func checkTurn() async throws {
                guard count.isTurnOver else { return }
                try await group.waitForAll()
                throw TransferFailure.turnOver
            }
            func begin(_ entry: DriveEntry, at path: DrivePath, in names: [String]) async throws {
                try await checkTurn()
                count.find(1, bytes: entry.size ?? 0)
                if running >= Self.maxUnderWay {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { try await pull(entry, at: path, in: names) }
            }
            if transfer.watch == nil {
                for path in transfer.paths { try await find(path, checkTurn, begin) }
            } else {
                try await findWatched(begin)
            }
            try await group.waitForAll()
        }
    }

    private func findWatched(_ begin: Begin) async throws {
        for (path, entry) in try await watched() {
            if let entry {
                try await begin(entry, path, [])
            } else {
                try await fail(path, DriveError(.notFound))
            }
        }
    }

    /// Finds the files of a path, in all folders below it.
    private func find(_ path: DrivePath, _ checkTurn: () async throws -> Void, _ begin: Begin) async throws {
        var found = Found(limits)
        // Folders are made below the place from the chosen one on.
        let above = max(path.names.count - 1, 0)
        do {
            let file = try await count.awaiting {
                try await drives.file(at: path, of: transfer.drive, transfer.user)
            }
            if let file {
                try await begin(file, path, [])
            } else {
                try found.add(path)
            }
        } catch { try await fail(path, error) }
        while let folder = found.next() {
            try Task.checkCancellation()
            try await checkTurn()
            let names = Array(folder.names.dropFirst(above))
            guard let entries = try await entries(of: folder) else { continue }
            count.step()
            try count.findEntries(entries.count, atMost: limits.maxEntries)
            if entries.isEmpty {
                guard try await isThere(folder, orChosenAs: path) else { continue }
                try await makeFolder(names, for: folder)
            }
            for entry in entries {
                guard let path = folder.appending(entry.name) else {
                    try count.fail(folder, DriveError(.name, "a name in it cannot be asked for"))
                    continue
                }
                if entry.isFolder {
                    try found.add(path)
                } else {
                    try await begin(entry, path, names)
                }
            }
        }
    }

    /// The files of a watched folder that are to be pulled, as the list of the folder has them: looks compare with
    /// that, and some stores tell more of one file. Nil for one that is not there any more.
    private func watched() async throws -> [(path: DrivePath, entry: DriveEntry?)] {
        guard let folder = transfer.paths.first?.parent else { return [] }
        let entries = try await count.awaiting {
            try await drives.entries(in: folder, of: transfer.drive, transfer.user)
        }
        count.step()
        let files = Dictionary(entries.filter { !$0.isFolder }.map { (ExactName($0.name), $0) }) { first, _ in first }
        return transfer.paths.map { ($0, $0.name.flatMap { files[ExactName($0)] }) }
    }

    /// Nil for a folder that could not be listed, which is counted.
    private func entries(of folder: DrivePath) async throws -> [DriveEntry]? {
        do {
            return try await count.awaiting {
                try await drives.entries(in: folder, of: transfer.drive, transfer.user)
            }
        } catch {
            try count.fail(folder, error)
            return nil
        }
    }

    /// False for an empty folder that was chosen and is not there, which is counted: stores of objects list nothing
    /// where nothing stands.
    private func isThere(_ folder: DrivePath, orChosenAs path: DrivePath) async throws -> Bool {
        guard folder == path, path != .top else { return true }
        do {
            _ = try await count.awaiting { try await drives.entry(at: path, of: transfer.drive, transfer.user) }
            return true
        } catch {
            try count.fail(path, error)
            return false
        }
    }

    /// Makes an empty folder; others come with their first file.
    private func makeFolder(_ names: [String], for folder: DrivePath) async throws {
        guard !names.isEmpty else { return }
        do { try await register.addPulledFolder(names, of: transfer.id) } catch { try count.fail(folder, error) }
    }

    private func pull(_ entry: DriveEntry, at path: DrivePath, in names: [String]) async throws {
        do {
            guard try await !register.isPulled(path, of: transfer.id) else {
                // The store may tell another size now.
                return count.arrive(isNew: false, bytes: min(entry.size ?? 0, limits.maxFileBytes))
            }
            let (upload, last) = try await read(entry, at: path)
            do {
                // A watched file is filed as the list had it: looks compare with that, and some stores tell more of one
                // file.
                guard transfer.watch == nil || last.hasTime(of: entry) else { throw DriveError(.changed) }
                _ = try await register.addPulled(
                    upload, from: path, version: (transfer.watch == nil ? last : entry).contentMark, named: last.name,
                    in: names, modifiedAt: last.modifiedAt, of: transfer.id)
            } catch {
                count.move(-upload.size)
                upload.owner.giveUp()
                throw error
            }
            count.arrive()
        } catch { try await fail(path, error) }
    }

    /// Counts a failure of a file, and has the watched folder for which it is pulled know of it.
    private func fail(_ path: DrivePath, _ error: any Error) async throws {
        if transfer.watch != nil {
            switch try TransferFailure(error) {
            case .file(let failure), .fileForNow(let failure):
                try await register.noteRefused(path, failure.problem, of: transfer.id)
            case .allForNow, .all, .turnOver, .ended: break
            }
        }
        try count.fail(path, error)
    }

    private func read(
        _ entry: DriveEntry, at path: DrivePath
    ) async throws -> (upload: StagedUpload, entry: DriveEntry) {
        let read = try await reads.acquire()
        defer { reads.release(read) }
        let owner = "\(transfer.user)"
        let place = try await places.acquire(for: owner)
        defer { places.release(place, of: owner) }
        return try await FilePull(
            drives: drives, library: library, transfer: transfer, path: path, count: count,
            maxBytes: limits.maxFileBytes
        ).run(entry)
    }
}
