/// Does what a plan says, step by step. Before each step it looks again whether both sides still are what the plan saw;
/// after each the base row is written at once.
struct SyncExecution {
    let plan: SyncPlan
    let localTree: LocalTree
    let folder: LocalFolder
    let remote: any RemoteSide
    let state: SyncState
    /// For the trash: `2026-11-21`.
    let day: String
    let report: @Sendable (SyncEvent) -> Void
    let resumed: ResumePoints

    private(set) var actions: [SyncAction] = []
    private(set) var problems: [String: String] = [:]
    /// Number of steps that succeeded, those that noted something included.
    var doneCount = 0
    /// Things that were not as the plan saw them, by paths: another look is needed.
    private(set) var unforeseen: [String: String] = [:]

    private var rows: [BaseRow?]
    var remoteNodes: [RemoteNode?]
    private let entityOfRow: [BaseRow.ID: SyncEntity.ID]
    var fingerprints: [Fingerprint?]
    var localPlaces: [Planner.PathSlot?]
    /// Things with a problem.
    private(set) var failed: Set<SyncIdentity> = []
    /// Listing of the server as it is now, made before whole folders are deleted.
    private var checkedListing: (any RemoteListing)?

    init(
        _ plan: SyncPlan, _ localTree: LocalTree, _ folder: LocalFolder, _ remote: any RemoteSide, _ state: SyncState,
        day: String, resumed: ResumePoints, report: @escaping @Sendable (SyncEvent) -> Void
    ) {
        (self.plan, self.localTree, self.folder, self.remote) = (plan, localTree, folder, remote)
        (self.state, self.day, self.resumed, self.report) = (state, day, resumed, report)
        rows = plan.entities.map(\.base)
        entityOfRow = Dictionary(
            plan.entities.indices.compactMap { id in plan.entities[id].base.map { ($0.id, id) } },
            uniquingKeysWith: { first, _ in first })
        remoteNodes = plan.entities.map(\.remote)
        fingerprints = plan.entities.map { $0.local.map { localTree.nodes[$0].fingerprint } }
        localPlaces = plan.entities.map { entity in
            entity.local.map { Planner.PathSlot(entity.localParent, localTree.nodes[$0].name) }
        }
    }

    /// The error that ended it.
    mutating func runCatching() async -> (any Error)? {
        do {
            try await run()
            return nil
        } catch { return error }
    }

    /// Throws what makes going on senseless: no connection, no session, a database that cannot be written.
    mutating func run() async throws {
        for operation in plan.operations where !operation.isTransfer {
            try Task.checkCancellation()
            do {
                try folder.reachStep()
                if try await perform(operation) { doneCount += 1 }
            } catch { try note(error, at: Self.entity(of: operation)) }
        }
        try await transfer(plan.operations.filter(\.isTransfer))
    }

    static func entity(of operation: SyncOperation) -> SyncEntity.ID {
        switch operation {
        case .record(let id), .forget(let id), .makeLocal(let id), .makeRemote(let id), .deleteLocal(let id),
            .download(let id), .upload(let id):
            id
        case .renameConflict(let id, _, _, _, _), .renameLocal(let id, _), .deleteRemote(let id, _): id
        case .moveLocal(let id, _, _), .moveRemote(let id, _, _): id
        }
    }

    /// Decides whether the rest can go on after an error.
    mutating func note(_ error: any Error, at id: SyncEntity.ID) throws {
        switch error {
        case let error as SyncLocalError where error.code != .stopped:
            if error.code == .blocked { return }
            if error.needsAnotherLook { return noteUnforeseen(id, error.detail) }
            addProblem(id, error.detail)
        case let error as ClientError:
            switch error.code {
            case .conflict, .preconditionFailed, .notFound, .changedHere: noteUnforeseen(id, error.detail)
            case .forbidden, .tooLarge, .noSpaceOnServer, .damaged, .quarantined, .invalid, .serverFault, .noSpaceHere,
                .local, .protocolViolation, .proxyLimit:
                addProblem(id, error.detail)
            default: throw error
            }
        default: throw error
        }
    }

    mutating func noteUnforeseen(_ id: SyncEntity.ID, _ reason: String) { unforeseen[path(id)] = reason }

    private mutating func addProblem(_ id: SyncEntity.ID, _ reason: String) {
        let path = path(id)
        if let node = remoteNodes[id] { failed.insert(.remote(node.key)) }
        if let fingerprint = fingerprints[id] { failed.insert(.local(inode: fingerprint.inode)) }
        problems[path] = reason
        report(.problem(path: path, reason: reason))
    }

    mutating func add(_ verb: SyncAction.Verb, _ path: String, to newPath: String? = nil, bytes: Int64? = nil) {
        let action = SyncAction(verb: verb, path: path, newPath: newPath, bytes: bytes)
        actions.append(action)
        report(.done(action))
    }

    // MARK: Paths

    func names(_ id: SyncEntity.ID?) throws -> [String] {
        var names: [String] = []
        var current = id
        while let here = current {
            guard let place = localPlaces[here], names.count < plan.entities.count else {
                throw SyncLocalError(.blocked, "its folder is not there")
            }
            names.append(place.name)
            current = place.parentEntity
        }
        return names.reversed()
    }

    /// For people.
    func path(_ id: SyncEntity.ID) -> String {
        if let names = try? names(id) { return names.joined(separator: "/") }
        let entity = plan.entities[id]
        return ((entity.parent.map { path($0) + "/" }) ?? "") + entity.name
    }

    /// For people: where the server had it when the plan was made.
    private func remotePath(_ id: SyncEntity.ID) -> String {
        var names: [String] = []
        var current: SyncEntity.ID? = id
        while let here = current, names.count <= plan.entities.count {
            let entity = plan.entities[here]
            names.append(entity.remote?.name ?? entity.name)
            current = entity.remoteParent
        }
        return names.reversed().joined(separator: "/")
    }

    func remoteParent(_ id: SyncEntity.ID?) throws -> RemoteKey? {
        guard let id else { return nil }
        guard let node = remoteNodes[id] else { throw SyncLocalError(.blocked, "its folder is not there") }
        return node.key
    }

    func remoteNode(_ id: SyncEntity.ID) throws -> RemoteNode {
        guard let node = remoteNodes[id] else { throw SyncLocalError(.blocked, "it is not there") }
        return node
    }

    func fingerprint(_ id: SyncEntity.ID) throws -> Fingerprint {
        guard let fingerprint = fingerprints[id] else { throw SyncLocalError(.blocked, "it is not there") }
        return fingerprint
    }

    // MARK: Rows

    /// Writes down what both sides have now. Of a file the bytes count only where they are equal.
    /// - Returns: false where it must wait.
    @discardableResult
    mutating func save(_ id: SyncEntity.ID, digest: Digest?) throws -> Bool { try save([(id, digest)]) == 1 }

    /// Writes down many things at once, none of which lies in another.
    /// - Returns: how many did not have to wait.
    @discardableResult
    mutating func save(_ things: [(id: SyncEntity.ID, digest: Digest?)]) throws -> Int {
        try folder.reachStep()
        let changed = things.compactMap { thing in row(thing.id, thing.digest).map { (thing.id, $0) } }
        let ids = try state.save(changed.map(\.1))
        for (number, (id, row)) in changed.enumerated() {
            rows[id] = row
            rows[id]?.id = ids[number]
        }
        return changed.count
    }

    /// Nil where it must wait.
    private func row(_ id: SyncEntity.ID, _ digest: Digest?) -> BaseRow? {
        let entity = plan.entities[id]
        guard let remote = remoteNodes[id], let fingerprint = fingerprints[id], let place = localPlaces[id] else {
            return nil
        }
        var parent: BaseRow.ID?
        if let above = place.parentEntity {
            // Without a row of its folder it waits until that is in step.
            guard let row = rows[above] else { return nil }
            parent = row.id
        }
        var row =
            rows[id]
            ?? BaseRow(
                id: 0, parent: parent, name: remote.name, remote: remote.key, digest: digest, fingerprint: fingerprint)
        (row.parent, row.name, row.remote) = (parent, remote.name, remote.key)
        if entity.kind.isFile {
            guard let digest else { return rows[id] == nil ? nil : row }
            row.digest = digest
        }
        row.fingerprint = fingerprint
        return row
    }

    private mutating func drop(_ ids: [SyncEntity.ID]) throws {
        try folder.reachStep()
        try state.remove(ids.compactMap { rows[$0]?.id })
        for id in ids { rows[id] = nil }
    }

    /// The digest that the file here has, where the server has the same.
    private func commonDigest(_ id: SyncEntity.ID) -> Digest? {
        guard let node = plan.entities[id].local.map({ localTree.nodes[$0] }), let digest = node.digest,
            digest == remoteNodes[id]?.digest
        else { return nil }
        return digest
    }

    // MARK: Names

    /// False when nothing came of it.
    private mutating func perform(_ operation: SyncOperation) async throws -> Bool {
        switch operation {
        case .record(let id): return try save(id, digest: commonDigest(id))
        case .forget(let id): try drop([id])
        case .renameConflict(_, let node, let parent, let row, let name):
            try renameConflict(localTree.nodes[node], in: parent, row, named: name)
        case .renameLocal(let id, let name):
            try moveLocal(id, to: localPlaces[id]?.parentEntity, named: name, isNoted: false, verb: .conflict)
        case .makeLocal(let id): try makeLocal(id)
        case .makeRemote(let id):
            let entity = plan.entities[id]
            remoteNodes[id] = try await remote.make(
                entity.kind, named: entity.name, in: try remoteParent(entity.parent))
            try save(id, digest: nil)
            add(.makeFolderThere, path(id))
        case .moveLocal(let id, let parent, let name): try moveLocal(id, to: parent, named: name, isNoted: true)
        case .moveRemote(let id, let parent, let name):
            let old = remotePath(id)
            try checkStillThere(id)
            remoteNodes[id] = try await remote.move(
                try remoteNode(id), to: try remoteParent(parent), named: name)
            try saveMoved(id)
            if !SyncName.isTemporary(name) { add(.moveThere, old, to: path(id)) }
        case .deleteLocal(let id): try await deleteLocal(id)
        case .deleteRemote(let id, let below): try await deleteRemote(id, below)
        case .download, .upload: break
        }
        return true
    }

    /// Places that only one side has reached are no common state.
    private mutating func saveMoved(_ id: SyncEntity.ID) throws {
        let entity = plan.entities[id]
        guard localPlaces[id] == Planner.PathSlot(entity.parent, entity.name), let remote = remoteNodes[id],
            remote.name == entity.name, try remote.parent == remoteParent(entity.parent)
        else { return }
        try save(id, digest: commonDigest(id))
    }

    private mutating func renameConflict(
        _ node: LocalNode, in parent: SyncEntity.ID?, _ row: BaseRow.ID?, named name: String
    ) throws {
        let place = try names(parent)
        // The row first: without it the file is a new one, whatever its name is when a kill comes.
        if let row { try state.remove([row]) }
        try folder.reachStep()
        _ = try folder.move(place + [node.name], node.fingerprint, node.kind, to: place + [name])
        add(.conflict, (place + [node.name]).joined(separator: "/"), to: (place + [name]).joined(separator: "/"))
    }

    private mutating func makeLocal(_ id: SyncEntity.ID) throws {
        let entity = plan.entities[id]
        fingerprints[id] = try folder.makeFolder(at: try names(entity.parent) + [entity.name])
        localPlaces[id] = Planner.PathSlot(entity.parent, entity.name)
        try save(id, digest: nil)
        add(.makeFolderHere, path(id))
    }

    private mutating func moveLocal(
        _ id: SyncEntity.ID, to parent: SyncEntity.ID?, named name: String, isNoted: Bool,
        verb: SyncAction.Verb = .moveHere
    ) throws {
        let old = try names(id)
        let new = try names(parent) + [name]
        fingerprints[id] = try folder.move(old, try fingerprint(id), plan.entities[id].kind, to: new)
        localPlaces[id] = Planner.PathSlot(parent, name)
        if isNoted { try saveMoved(id) }
        if !SyncName.isTemporary(name) {
            add(verb, old.joined(separator: "/"), to: new.joined(separator: "/"))
        }
    }

    /// Throws `changed` unless the local thing, because of which the server's is moved or deleted, is still there.
    private func checkStillThere(_ id: SyncEntity.ID) throws {
        if folder.isMissing(try names(id)) { throw SyncLocalError(.changed, "it is gone meanwhile") }
    }

    // MARK: Deletes

    private mutating func deleteLocal(_ id: SyncEntity.ID) async throws {
        let (names, fingerprint) = (try names(id), try fingerprint(id))
        if plan.entities[id].kind.isFile {
            try folder.trash(names, fingerprint, day: day)
        } else {
            try folder.removeFolder(names, fingerprint)
        }
        localPlaces[id] = nil
        try drop([id])
        add(.deleteHere, names.joined(separator: "/"))
    }

    private mutating func deleteRemote(_ id: SyncEntity.ID, _ below: [SyncEntity.ID]) async throws {
        let node = try remoteNode(id)
        if let base = plan.entities[id].base, let names = oldNames(of: base), !folder.isMissing(names) {
            let isReused = plan.entities.indices.contains { other in
                other != id && (try? self.names(other)).map { $0 == names } ?? false
            }
            guard isReused else { throw SyncLocalError(.changed, "it is here again") }
        }
        if !node.kind.isFile { try await checkFolder(node, below) }
        try state.noteDeleting((below + [id]).compactMap { rows[$0]?.id })
        try await remote.delete(node)
        for gone in [id] + below { remoteNodes[gone] = nil }
        try drop(below + [id])
        for file in below where plan.entities[file].kind.isFile { add(.deleteThere, path(file)) }
        add(.deleteThere, path(id))
    }

    /// Names of its place here, if all folders above it are known.
    private func oldNames(of base: BaseRow) -> [String]? {
        guard let parent = base.parent else { return [base.name] }
        guard let above = entityOfRow[parent], let names = try? names(above) else { return nil }
        return names + [base.name]
    }

    /// Nothing else than what the plan knows may lie in a folder that goes.
    private mutating func checkFolder(_ node: RemoteNode, _ below: [SyncEntity.ID]) async throws {
        let listing: any RemoteListing
        if let checkedListing { listing = checkedListing } else { listing = try await remote.listing() }
        checkedListing = listing
        var expected: [RemoteKey: RemoteNode] = [:]
        for id in below { if let node = remoteNodes[id] { expected[node.key] = node } }
        var folders = [node.key]
        var isOther = false
        try listing.read { places in
            while let folder = folders.popLast() {
                let children = try places.children(of: folder)
                while let child = try children() {
                    isOther = isOther || expected[child.key].map { $0.digest != child.digest } ?? true
                    if !child.kind.isFile { folders.append(child.key) }
                }
            }
        }
        if isOther { throw SyncLocalError(.changed, "something else lies in it") }
    }
}
