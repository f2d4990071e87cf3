internal import Dispatch
internal import FundCore
internal import Synchronization

/// One attempt at a push: files and folders of the library into a folder of a drive.
struct PushRun: Sendable {
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
        private var entries: [String: DriveEntry]

        init(_ entries: [DriveEntry]) {
            self.entries = Dictionary(entries.map { (Self.key($0.name), $0) }) { first, _ in first }
        }

        private static func key(_ name: String) -> String { name.nfc.caseFolded.nfc }

        subscript(name: String) -> DriveEntry? { entries[Self.key(name)] }

        mutating func take(_ name: String) {
            entries[Self.key(name)] = entries[Self.key(name)] ?? DriveEntry(name: name, isFolder: true)
        }
    }

    private func push(_ files: [FileEntry], into folder: DrivePath) async throws {
        var names = try await count.awaiting {
            try await drives.makeFolder(folder, of: transfer.drive, transfer.user)
            return Names(try await drives.entries(in: folder, of: transfer.drive, transfer.user))
        }
        count.step()
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

    /// The path that a file gets, and whether it stands there already: written by this transfer before its process
    /// ended, or of the same SHA-256. A file of another origin is never replaced.
    private func target(
        of file: FileEntry, _ path: DrivePath, among names: inout Names
    ) async throws -> (path: DrivePath, isThere: Bool) {
        guard let folder = path.parent else { throw DriveError(.name, file.name) }
        let parts = FileNameParts(file.name)
        for number in 0... {
            let name = number == 0 ? file.name : "\(parts.stem)(\(number))\(parts.suffix)"
            guard let target = folder.appending(name) else { break }
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

    private func write(_ file: FileEntry, _ pushed: PushedFile, to target: DrivePath) async throws {
        do {
            let owner = "\(transfer.user)"
            let place = try await places.acquire(for: owner)
            defer { places.release(place, of: owner) }
            // First of all: what may not be given to people goes nowhere.
            let content = try await DispatchQueue.runAlone("fundmail.drive") { [library] in
                try library.content(of: file.digest, size: file.size)
            }
            try await register.noteWriting(target, for: pushed, of: transfer.id)
            try await send(content, file.size, to: target)
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
