internal import FundCore

/// Moves or marks files of a watched folder that are filed: only those whose row is committed, and nothing is removed
/// or replaced.
struct WatchPutAway {
    /// Files of one look: the next one goes on soon.
    static let maxFiles = 100
    private static let maxNumbers = 1000

    let register: any WatchRegister
    let drives: any DriveOperations
    let watch: DriveWatch
    /// All of the folder, as the look saw it.
    let entries: [DriveEntry]

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

    /// Throws what concerns the store as a whole.
    func run(_ files: [WatchedFile]) async throws {
        guard !files.isEmpty else { return }
        let listed = Dictionary(entries.map { ($0.name, $0) }) { first, _ in first }
        switch watch.rules.disposition {
        case .leave: return
        case .move: try await move(files.prefix(Self.maxFiles), listed)
        case .mark:
            var names = Names(entries)
            for file in files.prefix(Self.maxFiles) {
                try await each(file, listed) { try await mark(file, at: $0, &names) }
            }
        }
    }

    // MARK: Moves

    private func move(_ files: ArraySlice<WatchedFile>, _ listed: [String: DriveEntry]) async throws {
        guard let folder = watch.path.appending(watch.rules.folder) else { return }
        var (isMade, names): (Bool, Names?) = (false, nil)
        for file in files {
            try await each(file, listed) { path in
                if !isMade { try await drives.makeFolder(folder, of: watch.drive, watch.user) }
                isMade = true
                try await move(file, at: path, into: folder, &names)
                try await register.notePutAway(file.name, marked: nil, of: watch.id)
            }
        }
    }

    /// - Parameter names: those in the folder; nil until the first one is taken.
    private func move(
        _ file: WatchedFile, at path: DrivePath, into folder: DrivePath, _ names: inout Names?
    ) async throws {
        var name = file.name
        while true {
            guard let target = folder.appending(name) else { throw DriveError(.name) }
            do { return try await drives.move(path, to: target, of: watch.drive, watch.user) } catch let error
                as DriveError where error.problem == .alreadyExists
            {
                if names == nil {
                    names = Names(try await drives.entries(in: folder, of: watch.drive, watch.user))
                }
                var known = names ?? Names([])
                known.keys.insert(Names.key(name))
                let parts = FileNameParts(file.name)
                name = try known.take { $0 == 0 ? file.name : "\(parts.stem)(\($0))\(parts.suffix)" }
                names = known
            }
        }
    }

    // MARK: Marks

    private func mark(_ file: WatchedFile, at path: DrivePath, _ names: inout Names) async throws {
        while true {
            let name = try names.take { WatchMark.name(file.name, $0) }
            guard let target = watch.path.appending(name) else { throw DriveError(.name) }
            try await register.noteMarking(file.name, as: name, of: watch.id)
            do { try await drives.move(path, to: target, of: watch.drive, watch.user) } catch let error as DriveError
                where error.problem == .alreadyExists
            { continue }
            // Some stores take the time of the change for that of the content.
            let entry = try await drives.entry(at: target, of: watch.drive, watch.user)
            return try await register.notePutAway(file.name, marked: (name, entry.contentMark), of: watch.id)
        }
    }

    // MARK: Failures

    /// Does something with a file that is still the one that was filed. One that has changed since is left for the next
    /// look, which files it first.
    private func each(
        _ file: WatchedFile, _ listed: [String: DriveEntry], _ act: (DrivePath) async throws -> Void
    ) async throws {
        guard let path = watch.path.appending(file.name) else { return }
        do {
            let entry = try await drives.entry(at: path, of: watch.drive, watch.user)
            guard !entry.isFolder, let listed = listed[file.name], entry.hasTime(of: listed) else {
                throw DriveError(.changed)
            }
            // Its owner may have changed, paused or removed the watch while others were moved.
            guard try await register.mayPutAway(watch) else { throw CancellationError() }
            try await act(path)
        } catch let error as DriveError {
            switch error.problem {
            case .notFound: return
            case .alreadyExists, .refused, .full, .name, .ambiguous, .tooLarge, .tooMany, .changed, .heldBack, .server,
                .broken:
                try await register.noteUnmoved(file.name, error.problem, of: watch.id)
            default: throw error
            }
        }
    }
}
