/// The bytes of files, many at once.
extension SyncExecution {
    /// So many files are under way at once.
    private static let maxTransfers = 8
    /// Left free for others on the disk.
    private static let reserveBytes: Int64 = 64 << 20

    private enum Transfer: Sendable {
        case download(RemoteNode, part: String, names: [String], replacing: Fingerprint?)
        case upload(FileSource, in: RemoteKey?, named: String, replacing: RemoteNode?)
    }

    private enum Transferred: Sendable {
        case here(Fingerprint)
        case there(RemoteNode)
        case failed(any Error)
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
            let (fingerprint, report) = (try fingerprint(id), report)
            var source = FileSource(path: folder.path(names), fingerprint: fingerprint, digest: digest)
            source.progress = { report(.progress(path: shown, bytes: $0, of: fingerprint.size)) }
            return .upload(
                source, in: try remoteParent(entity.parent), named: entity.name, replacing: remoteNodes[id])
        default: return nil
        }
    }

    mutating func transfer(_ operations: [SyncOperation]) async throws {
        var (waiting, running) = (operations[...], 0)
        var fatal: (any Error)?
        let (folder, remote, day, report) = (folder, remote, day, report)
        await withTaskGroup(of: (SyncEntity.ID, Transferred).self) { group in
            while true {
                while running < Self.maxTransfers, fatal == nil, let operation = waiting.popFirst() {
                    let id = Self.entity(of: operation)
                    do {
                        guard let transfer = try transfer(for: operation) else { continue }
                        running += 1
                        group.addTask {
                            do { return (id, try await Self.run(transfer, folder, remote, day: day, report)) } catch {
                                return (id, .failed(error))
                            }
                        }
                    } catch {
                        do { try note(error, at: id) } catch { fatal = fatal ?? error }
                    }
                }
                guard let (id, result) = await group.next() else { break }
                running -= 1
                do { try note(result, of: id) } catch {
                    fatal = fatal ?? error
                    group.cancelAll()
                }
            }
        }
        if let fatal { throw fatal }
    }

    private mutating func note(_ result: Transferred, of id: SyncEntity.ID) throws {
        do {
            switch result {
            case .failed(let error): throw error
            case .here(let fingerprint): try noteDownload(id, fingerprint)
            case .there(let node): try noteUpload(id, node)
            }
        } catch { try note(error, at: id) }
    }

    private static func run(
        _ transfer: Transfer, _ folder: LocalFolder, _ remote: any RemoteSide, day: String,
        _ report: @escaping @Sendable (SyncEvent) -> Void
    ) async throws -> Transferred {
        switch transfer {
        case .download(let node, let part, let names, let replaced):
            let shown = names.joined(separator: "/")
            guard folder.freeBytes >= node.size + Self.reserveBytes else {
                throw SyncLocalError(.noSpace, "there is not enough space for it on this disk")
            }
            try await SyncPart(path: part).load(node, from: remote, modified: node.modified) {
                report(.progress(path: shown, bytes: $0, of: node.size))
            }
            if let replaced { return .here(try folder.place(part, insteadOf: names, replaced, day: day)) }
            return .here(try folder.place(part, at: names))
        case .upload(let source, let parent, let name, let replaced):
            do {
                if let replaced { return .there(try await remote.replace(replaced, with: source)) }
                return .there(try await remote.upload(source, named: name, in: parent))
            } catch {
                // Not the network's fault, whatever it looks like there.
                guard source.isUnchanged else { throw SyncLocalError(.changed, "it changed while it was sent") }
                throw error
            }
        }
    }

    private mutating func noteDownload(_ id: SyncEntity.ID, _ fingerprint: Fingerprint) throws {
        let isNew = localPlaces[id] == nil
        let entity = plan.entities[id]
        fingerprints[id] = fingerprint
        if isNew { localPlaces[id] = Planner.Slot(entity.parent, entity.name) }
        try save(id, digest: remoteNodes[id]?.digest)
        doneCount += 1
        add(isNew ? .download : .updateHere, path(id), bytes: fingerprint.size)
    }

    private mutating func noteUpload(_ id: SyncEntity.ID, _ node: RemoteNode) throws {
        let isNew = remoteNodes[id] == nil
        remoteNodes[id] = node
        guard let digest = plan.entities[id].local.flatMap({ localTree.nodes[$0].digest }), node.digest == digest else {
            needsAnotherLook = true
            return
        }
        try save(id, digest: digest)
        doneCount += 1
        add(isNew ? .upload : .updateThere, path(id), bytes: node.size)
    }
}
