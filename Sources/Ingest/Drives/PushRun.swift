internal import Dispatch
internal import FundCore
internal import Synchronization

/// One attempt at a push: files and folders of the library into a folder of a drive.
struct PushRun: Sendable {
    /// Names in a row that others take while a file is written.
    private static let maxAttempts = 5

    let register: any TransferRegister
    let drives: any DriveOperations
    let library: any TransferLibrary
    let transfer: DriveTransfer
    let count: TransferCount
    let limits: TransferLimits
    /// Places for files under way, of all transfers.
    let places: ResourcePool<Int>

    /// Throws what ends the attempt.
    func run() async throws {
        let folder = transfer.paths.first ?? .top
        var (files, folders) = ([FileEntry](), [FolderEntry]())
        for item in transfer.items {
            do {
                switch item {
                case .file(let id): files.append(try await library.file(id, of: transfer.user))
                case .folder(let id): folders.append(try await library.folder(id, of: transfer.user))
                case .fund, .email, .note: continue
                }
            } catch let error as StoreError where error.code == .notFound {
                // The item was deleted since the transfer was begun.
                count.find(1, bytes: 0)
                try count.fail(folder, DriveError(.placeGone))
            }
        }
        try count.findEntries(files.count + folders.count, atMost: limits.maxEntries)
        try await push(files, folders, into: folder)
    }

    private func push(_ files: [FileEntry], _ folders: [FolderEntry], into target: DrivePath) async throws {
        try Task.checkCancellation()
        for file in files { count.find(1, bytes: file.size) }
        do {
            if !files.isEmpty { try await push(files, into: target) }
        } catch {
            for _ in files { try count.fail(target, error) }
        }
        for folder in folders {
            guard let path = target.appending(folder.name) else {
                try count.fail(target, DriveError(.name, "a path in it is too long"))
                continue
            }
            do {
                try await count.awaiting {
                    try await drives.makeFolder(path, of: transfer.drive, transfer.user)
                }
                let children = try await children(of: folder)
                try count.findEntries(children.count, atMost: limits.maxEntries)
                try await push(
                    children.compactMap { if case .file(let file) = $0 { file } else { nil } },
                    children.compactMap { if case .folder(let folder) = $0 { folder } else { nil } }, into: path)
            } catch { try count.fail(path, error) }
        }
    }

    private func children(of folder: FolderEntry) async throws -> [LibraryItem] {
        do {
            return try await library.children(
                of: LibraryPlace(fund: folder.fund, folder: folder.id), of: transfer.user)
        } catch let error as StoreError where error.code == .notFound { throw DriveError(.placeGone) }
    }

    /// Names that stand in a folder of the drive, in the form in which the most careless store compares them.
    private struct Names {
        /// Age from which on a folder is listed again, since others put files there, too; that of one which takes long
        /// is as many times longer.
        private static let (age, times) = (Duration.seconds(10), 10)

        private var entries: [String: DriveEntry]
        private var taken: [String] = []
        private let staleAt: ContinuousClock.Instant

        /// - Parameter begun: when the listing began.
        init(_ entries: [DriveEntry], since begun: ContinuousClock.Instant) {
            self.entries = Dictionary(entries.map { (Self.key($0.name), $0) }) { first, _ in first }
            staleAt = .now + max(Self.age, begun.duration(to: .now) * Self.times)
        }

        var isStale: Bool { .now > staleAt }

        /// These names as a later listing has them, with those that were taken and may not stand there yet.
        func renewed(_ later: Names) -> Names {
            var names = later
            taken.forEach { names.take($0) }
            return names
        }

        private static func key(_ name: String) -> String { name.nfc.caseFolded.nfc }

        subscript(name: String) -> DriveEntry? { entries[Self.key(name)] }

        mutating func take(_ name: String) {
            taken.append(name)
            entries[Self.key(name)] = entries[Self.key(name)] ?? DriveEntry(name: name, isFolder: true)
        }
    }

    private func push(_ files: [FileEntry], into folder: DrivePath) async throws {
        try await count.awaiting { try await drives.makeFolder(folder, of: transfer.drive, transfer.user) }
        var names = try await self.names(in: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for file in files {
                try Task.checkCancellation()
                if count.isTurnOver {
                    try await group.waitForAll()
                    throw TransferFailure.turnOver
                }
                guard let path = folder.appending(file.name) else {
                    try count.fail(folder, DriveError(.name, file.name))
                    continue
                }
                let pushed = PushedFile(file.id, as: path)
                do {
                    if try await register.isPushed(pushed, of: transfer.id) {
                        count.arrive(isNew: false, bytes: file.size)
                        continue
                    }
                    if names.isStale { names = names.renewed(try await self.names(in: folder)) }
                    let (target, isThere) = try await self.target(of: file, path, among: &names)
                    guard !isThere else {
                        try await register.notePushed(pushed, of: transfer.id)
                        count.arrive(bytes: file.size)
                        continue
                    }
                    if running >= PullRun.concurrency {
                        try await group.next()
                        running -= 1
                    }
                    running += 1
                    group.addTask { try await write(file, pushed, to: target) }
                } catch { try count.fail(path, error) }
            }
            try await group.waitForAll()
        }
    }

    private func names(in folder: DrivePath) async throws -> Names {
        let begun = ContinuousClock.now
        let entries = try await count.awaiting {
            try await drives.entries(in: folder, of: transfer.drive, transfer.user)
        }
        count.step()
        return Names(entries, since: begun)
    }

    /// The path that a file gets, and whether it stands there already: written by this transfer before its process
    /// ended, or of the same SHA-256. A file of another origin is never replaced.
    private func target(
        of file: FileEntry, _ path: DrivePath, among names: inout Names
    ) async throws -> (path: DrivePath, isThere: Bool) {
        for number in 0... {
            guard let target = Self.numbered(path, number), let name = target.name else { break }
            guard let entry = names[name] else {
                names.take(name)
                return (target, false)
            }
            guard !entry.isFolder, entry.size == file.size else { continue }
            let isOwn = try await register.isWriting(
                target, for: PushedFile(file.id, as: path), of: transfer.id)
            if isOwn || entry.digest == file.digest {
                names.take(name)
                return (target, true)
            }
        }
        throw DriveError(.name, file.name)
    }

    private static func numbered(_ path: DrivePath, _ number: Int) -> DrivePath? {
        guard number > 0, let folder = path.parent, let name = path.name else { return path }
        let parts = FileNameParts(name)
        return folder.appending("\(parts.stem)(\(number))\(parts.suffix)")
    }

    /// A path that nothing has now, in the place of one that others have taken since the folder was listed.
    private func freePath(for path: DrivePath) async throws -> DrivePath {
        guard let folder = path.parent else { throw DriveError(.alreadyExists) }
        let names = try await names(in: folder)
        for number in 0... {
            guard let target = Self.numbered(path, number), let name = target.name else { break }
            if names[name] == nil { return target }
        }
        throw DriveError(.alreadyExists)
    }

    private func write(_ file: FileEntry, _ pushed: PushedFile, to first: DrivePath) async throws {
        do {
            let owner = "\(transfer.user)"
            let place = try await places.acquire(for: owner)
            defer { places.release(place, of: owner) }
            // First of all: what may not be given to people goes nowhere.
            let content = try await DispatchQueue.runAlone("fundmail.drive") { [library] in
                try library.content(of: file.digest, size: file.size)
            }
            var (target, attempt) = (first, 1)
            while true {
                try await register.noteWriting(target, for: pushed, of: transfer.id)
                do {
                    try await send(content, file.size, to: target)
                    break
                } catch let error as DriveError where error.problem == .alreadyExists && attempt < Self.maxAttempts {
                    target = try await freePath(for: pushed.path)
                    attempt += 1
                }
            }
            try await register.notePushed(pushed, of: transfer.id)
            count.arrive()
        } catch { try count.fail(pushed.path, error) }
    }

    private func send(_ content: any StoredContent, _ size: Int64, to target: DrivePath) async throws {
        let sent = Atomic<Int64>(0)
        do {
            try await drives.write(target, size: size, of: transfer.drive, transfer.user) { [count] buffer in
                let position = sent.load(ordering: .relaxed)
                let end = min(position + Int64(buffer.count), size)
                guard position < end else { return 0 }
                var filled = 0
                try content.read(position..<end) { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: bytes)
                    filled += bytes.count
                }
                sent.add(Int64(filled), ordering: .relaxed)
                count.move(Int64(filled))
                return filled
            }
        } catch {
            count.move(-sent.load(ordering: .relaxed))
            throw error
        }
    }
}
