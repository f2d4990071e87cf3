internal import Synchronization
package import FundCore

/// Bytes of files, and changes of what there is.
extension RcloneDrives {
    @discardableResult
    package func read(
        _ path: DrivePath, from position: Int64, size: Int64?, of drive: Drive.ID, _ user: User.ID,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> DriveEntry? {
        let isBegun = Atomic<Bool>(false)
        let end = Atomic<Int64>(position)
        let take: @Sendable (UnsafeRawBufferPointer) throws -> Void = { bytes in
            isBegun.store(true, ordering: .relaxed)
            end.add(Int64(bytes.count), ordering: .relaxed)
            try take(bytes)
        }
        return try await withDrive(drive, user) { remote in
            try Self.check(isBegun: isBegun.load(ordering: .relaxed))
            try await checkNames(of: path, remote)
            // The service would open a large file at the store, and not give it.
            if path.isServed, size ?? 0 <= RcloneService.maxBytes, let service = try await service(of: remote) {
                do {
                    try await service.read(remote.served(path), from: position, take: take)
                    guard size ?? end.load(ordering: .relaxed) == end.load(ordering: .relaxed) else {
                        throw DriveError(.changed)
                    }
                    return nil
                } catch is ServiceGap {}
            }
            guard let size else {
                let told = try await readUnknown(path, from: position, remote, take)
                guard told ?? end.load(ordering: .relaxed) == end.load(ordering: .relaxed) else {
                    throw DriveError(.changed)
                }
                return nil
            }
            if position < size { try await readAlone(path, from: position, remote, take) }
            guard end.load(ordering: .relaxed) == size else { throw DriveError(.changed) }
            return try await entry(at: path, remote, of: size)
        }
    }

    @discardableResult
    package func read(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID, into file: any GrowingFile
    ) async throws -> DriveEntry? {
        let position = file.size
        return try await withDrive(drive, user) { remote in
            try Self.check(isBegun: file.size != position)
            try await checkNames(of: path, remote)
            if position < size {
                try await run(
                    ["cat", "--offset", "\(position)", "--", remote.remote(path)], remote, naming: path.names,
                    atMost: nil, for: .file, appendingTo: file)
            }
            guard file.size == size else { throw DriveError(.changed) }
            return try await entry(at: path, remote, of: size)
        }
    }

    /// The entry of a file of which all bytes came. Throws `changed` unless it is a file of this size: rclone would
    /// give the bytes of all files in a folder that took the place of the file.
    private func entry(
        at path: DrivePath, _ remote: RemoteConfiguration, of size: Int64
    ) async throws -> DriveEntry {
        let entry = try await entry(at: path, remote)
        guard !entry.isFolder, entry.size == size else { throw DriveError(.changed) }
        return entry
    }

    /// Throws for bytes that have come or gone already when another token is tried: the caller goes on, which has them.
    private static func check(isBegun: Bool) throws {
        guard !isBegun else { throw DriveError(.server, "the token ended") }
    }

    /// Reads a file of which the caller knows no size.
    /// - Returns: the size that the store told before; nil where it tells none.
    private func readUnknown(
        _ path: DrivePath, from position: Int64, _ remote: RemoteConfiguration,
        _ take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Int64? {
        // rclone would give the bytes of all files in a folder.
        let entry = try await entry(at: path, remote)
        guard !entry.isFolder else { throw DriveError(.notFound, "a folder") }
        if let size = entry.size, position >= size {
            guard position == size else { throw DriveError(.changed) }
            return size
        }
        // A document that the store writes when it is read is another one each time.
        guard position == 0 || entry.size != nil || !remote.writesDocuments else { throw DriveError(.changed) }
        try await readAlone(path, from: position, remote, take)
        return entry.size
    }

    /// Reads by a child of its own.
    private func readAlone(
        _ path: DrivePath, from position: Int64, _ remote: RemoteConfiguration,
        _ take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await run(
            ["cat", "--offset", "\(position)", "--", remote.remote(path)], remote, naming: path.names, atMost: nil,
            for: .file, take: take)
    }

    package func write(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID,
        fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int
    ) async throws {
        guard let folder = path.parent, let name = path.name, size >= 0 else { throw DriveError(.name) }
        let key = "\(drive)/\(path)"
        let isBegun = Atomic<Bool>(false)
        let fill: @Sendable (UnsafeMutableRawBufferPointer) throws -> Int = { room in
            isBegun.store(true, ordering: .relaxed)
            return try fill(room)
        }
        try await withDrive(drive, user) { remote in
            try Self.check(isBegun: isBegun.load(ordering: .relaxed))
            try await checkNames(of: path, remote)
            if remote.writesWhole {
                return try await writing.withLock(for: key) { try await put(path, size, remote, fill) }
            }
            // Each attempt of a drive has this name, and writes over what was left of the one before. Other people's
            // drives may be of the same folder.
            let mark = ContentDigest.of("\(remote.mark)/\(name)".utf8).hex.prefix(16)
            guard let part = folder.appending(".fundmail-\(mark).part") else { throw DriveError(.name) }
            do {
                try await writing.withLock(for: key) {
                    try await put(part, size, remote, fill)
                    try await run(
                        ["moveto", "--ignore-existing", "--", remote.remote(part), remote.remote(path)], remote,
                        naming: path.names, atMost: Self.listSeconds)
                    // rclone says nothing of a part that stays since something has the name: the part tells.
                    guard try await !removeLeft(part, remote) else { throw DriveError(.alreadyExists) }
                }
            } catch {
                await clean(part, remote, key)
                throw error
            }
        }
    }

    private func put(
        _ path: DrivePath, _ size: Int64, _ remote: RemoteConfiguration,
        _ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int
    ) async throws {
        let left = Atomic<Int64>(size)
        try await run(
            ["rcat", "--size", "\(size)", "--", remote.remote(path)], remote, naming: path.names, atMost: nil,
            for: .file,
            fill: { room in
                let rest = left.load(ordering: .relaxed)
                guard rest > 0 else { return 0 }
                let part = room.prefix(Int(min(rest, Int64(room.count))))
                let count = try fill(UnsafeMutableRawBufferPointer(rebasing: part))
                // Fewer bytes than were announced: rclone is killed before it sees an end.
                guard count > 0 else { throw DriveError(.changed) }
                left.subtract(Int64(count), ordering: .relaxed)
                return count
            })
    }

    package func makeFolder(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws {
        try await withDrive(drive, user) { remote in
            try await checkNames(of: path, remote)
            try await run(
                ["mkdir", "--", remote.remote(path)], remote, naming: path.names, atMost: Self.answerSeconds)
        }
    }

    package func move(
        _ path: DrivePath, to target: DrivePath, of drive: Drive.ID, _ user: User.ID
    ) async throws {
        guard path != .top, target != .top, !target.isWithin(path) || target == path else {
            throw DriveError(.name)
        }
        try await withDrive(drive, user) { remote in
            try await checkNames(of: path, remote)
            try await checkNames(of: target, remote)
            let entry = try await entry(at: path, remote)
            guard target != path else { return }
            do {
                _ = try await self.entry(at: target, remote)
                throw DriveError(.alreadyExists)
            } catch let error as DriveError where error.problem == .notFound {}
            // A folder is moved file by file where the store cannot do it at once.
            try await run(
                ["moveto"] + (entry.isFolder ? [] : ["--ignore-times"])
                    + ["--", remote.remote(path), remote.remote(target)], remote, naming: path.names + target.names,
                atMost: nil)
        }
    }

    package func remove(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws {
        guard path != .top else { throw DriveError(.name) }
        try await withDrive(drive, user) { remote in
            try await checkNames(of: path, remote)
            guard try await entry(at: path, remote).isFolder else { return try await removeFile(path, remote) }
            try await run(
                ["purge", "--", remote.remote(path)], remote, naming: path.names, atMost: Self.listSeconds)
        }
    }

    /// Removes a part of a file. It waits a while for that, also after a cancellation; a store that does not answer is
    /// asked on while others have the place of this operation. The next attempt at the file waits for it.
    private func clean(_ part: DrivePath, _ remote: RemoteConfiguration, _ key: String) async {
        let ended = Signal()
        Task {
            await writing.withLock(for: key) {
                try? await removeFile(part, remote, atMost: limits.cleanSeconds)
            }
            ended.raise()
        }
        let cleanWait = limits.cleanWait
        await Task { await ended.wait(after: 0, atMost: cleanWait) }.value
    }

    /// Whether a part was there.
    private func removeLeft(_ part: DrivePath, _ remote: RemoteConfiguration) async throws -> Bool {
        do { try await removeFile(part, remote) } catch let error as DriveError where error.problem == .notFound {
            return false
        }
        return true
    }

    private func removeFile(
        _ path: DrivePath, _ remote: RemoteConfiguration, atMost seconds: Double = RcloneDrives.answerSeconds
    ) async throws {
        try await run(["deletefile", "--", remote.remote(path)], remote, naming: path.names, atMost: seconds)
    }
}

extension DrivePath {
    /// Whether rclone's server can be asked for it: it finds no path with a line feed, and other controls are as rare.
    var isServed: Bool {
        names.allSatisfy { name in name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }
    }
}
