/// The bytes of files, many at once.
extension SyncExecution {
    /// Files under way at once: more than there are connections, so that those never wait for the disk.
    private static let maxTransfers = 24

    private enum Transfer: Sendable {
        case download(RemoteNode, part: String, names: [String], replacing: Fingerprint?)
        case upload(FileSource, in: RemoteKey?, named: String, replacing: RemoteNode?)
    }

    private enum Transferred: Sendable {
        case loaded(LoadedPart)
        /// Loaded files got their names.
        case placed([(part: LoadedPart, result: Result<Fingerprint, any Error>)])
        case there(SyncEntity.ID, RemoteNode)
        case failed(SyncEntity.ID, any Error)
    }

    private func transfer(for operation: SyncOperation) throws -> Transfer? {
        switch operation {
        case .download(let id):
            let (entity, node) = (plan.entities[id], try remoteNode(id))
            let names = localPlaces[id] == nil ? try names(entity.parent) + [entity.name] : try names(id)
            let part = folder.ownPath("parts/\(node.digest?.description ?? "")-\(node.key.id)")
            return .download(node, part: part, names: names, replacing: fingerprints[id])
        case .upload(let id):
            let entity = plan.entities[id]
            guard let digest = entity.local.flatMap({ localTree.nodes[$0].digest }) else { return nil }
            let names = try names(id)
            let shown = names.joined(separator: "/")
            let (fingerprint, report, resumed) = (try fingerprint(id), report, resumed)
            if remoteNodes[id] == nil, entity.base == nil {
                try state.noteUnrecorded([
                    UnrecordedFile(
                        parent: try remoteParent(entity.parent), name: entity.name, digest: digest,
                        fingerprint: fingerprint)
                ])
            }
            var source = FileSource(path: folder.path(names), fingerprint: fingerprint, digest: digest)
            source.meter = .counting {
                resumed.note(shown, $0)
            } onPiece: { bytes, _ in
                report(.progress(path: shown, bytes: bytes, of: fingerprint.size))
            }
            return .upload(
                source, in: try remoteParent(entity.parent), named: entity.name, replacing: remoteNodes[id])
        default: return nil
        }
    }

    mutating func transfer(_ operations: [SyncOperation]) async throws {
        var (waiting, running) = (operations[...], 0)
        // A line that is cut at one file may hold for the others.
        var (fatal, cuts): ((any Error)?, [(path: String, error: ClientError)]) = (nil, [])
        let (folder, remote, day, report, resumed) = (folder, remote, day, report, resumed)
        let space = PromisedSpace()
        // Files that were loaded while others were flushed to the disk are flushed together.
        var (loaded, isPlacing): ([LoadedPart], Bool) = ([], false)
        await withTaskGroup(of: Transferred.self) { group in
            while true {
                if !isPlacing, !loaded.isEmpty {
                    let parts = loaded
                    loaded = []
                    do {
                        try noteUnrecorded(parts)
                        isPlacing = true
                        group.addTask { .placed(await LoadedPart.place(parts, in: folder, day: day)) }
                    } catch {
                        // The parts stay, and the next run goes on with them.
                        fatal = fatal ?? error
                        group.cancelAll()
                    }
                }
                while running < Self.maxTransfers, fatal == nil, let operation = waiting.popFirst() {
                    let id = Self.entity(of: operation)
                    do {
                        guard let transfer = try transfer(for: operation) else { continue }
                        running += 1
                        group.addTask {
                            do { return try await Self.run(id, transfer, folder, remote, space, resumed, report) } catch
                            {
                                return .failed(id, error)
                            }
                        }
                    } catch {
                        do { try note(error, at: id) } catch { fatal = fatal ?? error }
                    }
                }
                guard let result = await group.next() else { break }
                do {
                    switch result {
                    case .loaded(let part):
                        loaded.append(part)
                        running -= 1
                    case .placed(let results):
                        isPlacing = false
                        try note(results)
                    case .there(let id, let node):
                        running -= 1
                        do { try noteUpload(id, node) } catch { try note(error, at: id) }
                    case .failed(let id, let error):
                        running -= 1
                        // The failure concerns this connection alone: other transfers go on.
                        if let error = error as? ClientError, [.interrupted, .timedOut].contains(error.code) {
                            cuts.append((path(id), error))
                        } else {
                            try note(error, at: id)
                        }
                    }
                } catch {
                    fatal = fatal ?? error
                    group.cancelAll()
                }
            }
        }
        if let fatal { throw fatal }
        if let first = cuts.first {
            let others = cuts.count == 1 ? "" : " and \(cuts.count - 1) more"
            var error = ClientError(.interrupted, "\(first.path)\(others): \(first.error.detail)")
            error.wasRetried = cuts.allSatisfy(\.error.wasRetried)
            throw error
        }
    }

    private static func run(
        _ id: SyncEntity.ID, _ transfer: Transfer, _ folder: LocalFolder, _ remote: any RemoteSide,
        _ space: PromisedSpace, _ resumed: ResumePoints, _ report: @escaping @Sendable (SyncEvent) -> Void
    ) async throws -> Transferred {
        switch transfer {
        case .download(let node, let part, let names, let replaced):
            let shown = names.joined(separator: "/")
            let room = folder.room
            guard let promise = space.promise(node.size, of: room) else {
                throw SyncLocalError(
                    .noSpace,
                    "the disk has no room for its \(node.size) bytes beside those of the files under way "
                        + "(\(max(0, room)) bytes are free)")
            }
            let meter = TransferMeter.counting {
                promise.settle($0)
                resumed.note(shown, $0)
            } onPiece: { bytes, piece in
                promise.settle(Int64(piece))
                report(.progress(path: shown, bytes: bytes, of: node.size))
            }
            let file = PartFile(part, rights: 0o666, modified: node.modified == 0 ? nil : node.modified)
            let loader = PartLoader(part: file, meter: meter, size: node.size, isFlushed: false) {
                (offset, _) async throws(ClientError) in try await remote.content(of: node, from: offset)
            }
            do {
                guard case .whole = try await loader.run(known: node.digest) else {
                    throw ClientError(.preconditionFailed, "it changed on the server meanwhile")
                }
            } catch let error as ClientError {
                // The name is that of these bytes: nothing goes on with wrong ones.
                if error.code == .damaged { try? LocalFiles.remove(part) }
                throw error.systemCode == nil ? error : SyncLocalError(error)
            }
            return .loaded(LoadedPart(entity: id, path: part, names: names, replaced: replaced))
        case .upload(let source, let parent, let name, let replaced):
            do {
                if let replaced { return .there(id, try await remote.replace(replaced, with: source)) }
                return .there(id, try await remote.upload(source, named: name, in: parent))
            } catch {
                // Not the network's fault, whatever it looks like there.
                guard source.isUnchanged else { throw SyncLocalError(.changed, "it changed while it was sent") }
                throw error
            }
        }
    }

    private func noteUnrecorded(_ parts: [LoadedPart]) throws {
        try state.noteUnrecorded(
            parts.compactMap { part in
                guard plan.entities[part.entity].base == nil, let node = remoteNodes[part.entity],
                    let digest = node.digest, let status = try? LocalFiles.status(part.path)
                else { return nil }
                return UnrecordedFile(
                    parent: node.parent, name: node.name, digest: digest, fingerprint: Fingerprint(status))
            })
    }

    /// Records placed files in one transaction of the rows.
    private mutating func note(_ results: [(part: LoadedPart, result: Result<Fingerprint, any Error>)]) throws {
        var (failures, saves): ([(SyncEntity.ID, any Error)], [(SyncEntity.ID, Digest?)]) = ([], [])
        var arrived: [(id: SyncEntity.ID, isNew: Bool, bytes: Int64)] = []
        for (part, result) in results {
            let id = part.entity
            switch result {
            case .failure(let error): failures.append((id, error))
            case .success(let fingerprint):
                let (isNew, entity) = (localPlaces[id] == nil, plan.entities[id])
                fingerprints[id] = fingerprint
                if isNew { localPlaces[id] = Planner.PathSlot(entity.parent, entity.name) }
                saves.append((id, remoteNodes[id]?.digest))
                arrived.append((id, isNew, fingerprint.size))
            }
        }
        try save(saves)
        for file in arrived {
            doneCount += 1
            add(file.isNew ? .download : .updateHere, path(file.id), bytes: file.bytes)
        }
        for (id, error) in failures { try note(error, at: id) }
    }

    private mutating func noteUpload(_ id: SyncEntity.ID, _ node: RemoteNode) throws {
        let isNew = remoteNodes[id] == nil
        remoteNodes[id] = node
        guard let digest = plan.entities[id].local.flatMap({ localTree.nodes[$0].digest }), node.digest == digest else {
            return noteUnforeseen(id, "it changed on the server while it was sent")
        }
        try save(id, digest: digest)
        doneCount += 1
        add(isNew ? .upload : .updateThere, path(id), bytes: node.size)
    }
}
