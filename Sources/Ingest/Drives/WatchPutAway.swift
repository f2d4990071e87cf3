internal import FundCore

/// Moves or marks files of a watched folder that are filed: only those whose row is committed, and nothing is removed
/// or replaced.
struct WatchPutAway {
    /// Files of one look: the next one goes on soon.
    static let maxFiles = 100
    /// Time of one look, in which a store that takes long for each of them holds up other people's folders.
    static let maxTime = Duration.seconds(60)
    private static let maxNumbers = 1000

    let register: any WatchRegister
    let drives: any DriveOperations
    let watch: DriveWatch
    /// All of the folder, as the look saw it.
    let entries: [DriveEntry]
    let now: @Sendable () -> ContinuousClock.Instant

    /// Keys of names in a folder, in the form in which the most careless store compares them.
    private struct Names {
        var keys: Set<String>

        init(_ entries: [DriveEntry]) { keys = Set(entries.map { Self.key($0.name) }) }

        static func key(_ name: String) -> String { name.nfc.caseFolded.nfc }

        /// The first name of a row that nothing has.
        mutating func take(_ name: (Int) -> String) throws -> String {
            for number in 0..<WatchPutAway.maxNumbers where keys.insert(Self.key(name(number))).inserted {
                return name(number)
            }
            throw DriveError(.alreadyExists)
        }
    }

    /// Throws what concerns the store as a whole, and `CancellationError` once the watch is not as it was.
    func run(_ files: [WatchedFile]) async throws {
        let listed = Dictionary(entries.map { (ExactName($0.name), $0) }) { first, _ in first }
        let files = files.prefix(Self.maxFiles)
        let begun = now()
        var names = Names(watch.rules.disposition == .mark ? entries : [])
        if watch.rules.disposition == .move, !files.isEmpty { try await makeFolder() }
        for file in files where now() - begun < Self.maxTime {
            try await each(file, listed[ExactName(file.name)]) { entry, path in
                switch watch.rules.disposition {
                case .leave: return
                case .move: try await move(file, entry, at: path, &names)
                case .mark: try await mark(file, entry, at: path, &names)
                }
            }
        }
    }

    private func checkMay() async throws {
        guard try await register.mayPutAway(watch) else { throw CancellationError() }
    }

    // MARK: Moves

    private var folder: DrivePath? { watch.path.appending(watch.rules.folder) }

    private func makeFolder() async throws {
        guard let folder else { throw DriveError(.name) }
        try await checkMay()
        do { try await drives.makeFolder(folder, of: watch.drive, watch.user) } catch let error as DriveError
            where error.problem == .alreadyExists
        { throw DriveError(.alreadyExists, "\(watch.rules.folder) is a file there") }
    }

    /// - Parameter names: those in the folder; none until the first one is taken.
    private func move(_ file: WatchedFile, _ entry: DriveEntry, at path: DrivePath, _ names: inout Names) async throws {
        guard let folder else { throw DriveError(.name) }
        var name = file.name
        while true {
            guard let target = folder.appending(name) else { throw DriveError(.name) }
            do {
                _ = try await move(entry, at: path, to: target)
                return try await register.notePutAway(file.name, marked: nil, of: watch.id)
            } catch let error as DriveError where error.problem == .alreadyExists {
                if names.keys.isEmpty {
                    names = Names(try await drives.entries(in: folder, of: watch.drive, watch.user))
                }
                names.keys.insert(Names.key(name))
                let parts = FileNameParts(file.name)
                name = try names.take { $0 == 0 ? file.name : "\(parts.stem)(\($0))\(parts.suffix)" }
            }
        }
    }

    /// Moves a file, and looks at what was moved: another one may have taken its place since it was looked at, and
    /// comes back. Returns the file as it is now.
    private func move(_ entry: DriveEntry, at path: DrivePath, to target: DrivePath) async throws -> DriveEntry {
        try await drives.move(path, to: target, of: watch.drive, watch.user)
        let moved: DriveEntry
        do { moved = try await drives.entry(at: target, of: watch.drive, watch.user) } catch let error as DriveError
            where error.problem == .notFound
        { throw DriveError(.server, "a file is not where it was moved to") }
        let isSame =
            moved.size == entry.size && (!moved.hasChecksum || !entry.hasChecksum || moved.version == entry.version)
        guard !isSame else { return moved }
        var (names, name) = (Names(entries), entry.name)
        let parts = FileNameParts(name)
        while let back = watch.path.appending(name) {
            do {
                try await drives.move(target, to: back, of: watch.drive, watch.user)
                break
            } catch let error as DriveError where error.problem == .alreadyExists {
                name = try names.take { "\(parts.stem)(\($0 + 1))\(parts.suffix)" }
            }
        }
        throw DriveError(.changed)
    }

    // MARK: Marks

    private func mark(_ file: WatchedFile, _ entry: DriveEntry, at path: DrivePath, _ names: inout Names) async throws {
        while true {
            let name = try names.take { WatchMark.name(file.name, $0) }
            guard let target = watch.path.appending(name) else { throw DriveError(.name) }
            try await register.noteMarking(file.name, as: name, of: watch.id)
            do {
                let moved = try await move(entry, at: path, to: target)
                // Some stores take the time of the change for that of the content; where it may be another file, its
                // bytes tell.
                return try await register.notePutAway(
                    file.name, marked: (name, moved.contentMark, moved.hasTime(of: entry)), of: watch.id)
            } catch let error as DriveError where error.problem == .alreadyExists {}
        }
    }

    // MARK: Failures

    /// Does something with a file that is still the one that was filed. One that has changed since is left for the next
    /// look, which files it first.
    private func each(
        _ file: WatchedFile, _ listed: DriveEntry?, _ act: (DriveEntry, DrivePath) async throws -> Void
    ) async throws {
        guard let path = watch.path.appending(file.name) else { return }
        var isThere = false
        do {
            let entry = try await drives.entry(at: path, of: watch.drive, watch.user)
            isThere = true
            guard !entry.isFolder, let listed, entry.hasTime(of: listed) else { throw DriveError(.changed) }
            // Its owner may have changed, paused or removed the watch while others were moved.
            try await checkMay()
            try await act(entry, path)
        } catch let error as DriveError {
            switch error.problem {
            case .notFound where !isThere: return
            case .notFound, .alreadyExists, .refused, .full, .name, .ambiguous, .tooLarge, .tooMany, .changed,
                .heldBack, .server, .broken:
                try await register.noteUnmoved(file.name, error.problem, of: watch.id)
            default: throw error
            }
        }
    }
}
