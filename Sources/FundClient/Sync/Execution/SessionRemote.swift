internal import Foundation
internal import GRDB
internal import Synchronization

/// The funds of a signed-in user as one side of a synchronization.
final class SessionRemote: RemoteSide {
    private let session: Session
    private let catalogue: Catalogue
    /// The one fund whose content lies at the top; nil for all.
    private let fund: FundID?
    private let memory = Mutex(Memory())

    private struct Memory {
        /// Cursor of the last listing.
        var cursor = ChangeCursor.beginning
        /// The server tells its changes with their items.
        var isComplete = false
        var uploads: UploadMemory?
    }

    /// - Parameter catalogue: it is brought up to date.
    init(_ session: Session, _ catalogue: Catalogue, fund: FundID?) {
        (self.session, self.catalogue, self.fund) = (session, catalogue, fund)
    }

    // MARK: Looking

    /// Limit of looks for a catalogue that no other process begins anew at that moment.
    private static let maxLooks = 4

    func listing() async throws(ClientError) -> any RemoteListing {
        try await requireItems()
        for _ in 1...Self.maxLooks {
            try await CatalogueSync(of: catalogue, from: session).catchUp()
            let snapshot = try catalogue.database.snapshot()
            let standing: Catalogue.Standing
            do { standing = try await snapshot.read { try Catalogue.Standing($0) } } catch {
                throw ClientError(local: error)
            }
            // A catalogue that is begun anew has things that the server has no more.
            guard standing.isComplete else { continue }
            memory.withLock { $0.cursor = standing.cursor }
            return CatalogueListing(
                snapshot: snapshot, fund: fund,
                history: RemoteHistory(server: standing.history, round: standing.round))
        }
        throw ClientError(.busy, "another process is reading anew what the server has")
    }

    /// A catalogue that is told no items stays empty, which is no reason to delete anything here.
    private func requireItems() async throws(ClientError) {
        if memory.withLock({ $0.isComplete }) { return }
        let page = try await session.changes(since: .beginning, withItems: true, limit: 20)
        guard page.changes.allSatisfy({ $0.isDeleted || $0.item != nil }) else {
            throw ClientError(.protocolViolation, "the server is too old: it tells that things changed, but not how")
        }
        memory.withLock { $0.isComplete = true }
    }

    func waitForNews() async throws {
        let cursor = memory.withLock { $0.cursor }
        for try await change in session.events(since: cursor) where [.fund, .folder, .file].contains(change.kind) {
            return
        }
    }

    // MARK: Changing

    private func place(_ parent: RemoteKey?) throws(ClientError) -> Place {
        guard let parent else {
            guard let fund else { throw ClientError(.invalid, "only funds lie at the top") }
            return .fund(fund)
        }
        switch parent.kind {
        case .fund: return .fund(FundID(parent.id))
        case .folder: return .folder(FolderID(parent.id))
        case .file: throw ClientError(.invalid, "nothing lies in a file")
        }
    }

    private func parent(fund: FundID, _ folder: FolderID?) -> RemoteKey? {
        if let folder { return RemoteKey(kind: .folder, id: folder.value) }
        return self.fund == nil ? RemoteKey(kind: .fund, id: fund.value) : nil
    }

    func make(_ kind: SyncKind, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode {
        if kind == .fund {
            let fund = try await session.makeFund(named: name)
            return RemoteNode(key: RemoteKey(kind: .fund, id: fund.id.value), parent: nil, name: fund.name)
        }
        return RemoteNode(try await session.makeFolder(named: name, in: try place(parent)), in: parent)
    }

    func move(_ node: RemoteNode, to parent: RemoteKey?, named name: String) async throws(ClientError) -> RemoteNode {
        switch node.kind {
        case .fund:
            try await check(node)
            let fund = try await session.renameFund(FundID(node.key.id), to: name)
            return RemoteNode(key: node.key, parent: nil, name: fund.name)
        case .folder:
            let tag = try await check(node)
            let folder = try await session.move(
                FolderID(node.key.id), to: try place(parent), named: name, ifMatch: tag)
            return RemoteNode(folder, in: parent)
        case .file:
            let tag = try await check(node)
            let file = try await session.move(FileID(node.key.id), to: try place(parent), named: name, ifMatch: tag)
            return RemoteNode(file, in: parent)
        }
    }

    func delete(_ node: RemoteNode) async throws(ClientError) {
        let tag = try await check(node)
        switch node.kind {
        // A fund has mail and notes, too, which are not in the folder.
        case .fund: throw ClientError(.forbidden, "funds are not deleted by a synchronization")
        case .folder: try await session.delete(FolderID(node.key.id), ifMatch: tag)
        case .file: try await session.delete(FileID(node.key.id), ifMatch: tag)
        }
    }

    /// The tag of its state, if that is what the plan saw.
    @discardableResult
    private func check(_ node: RemoteNode) async throws(ClientError) -> EntityTag? {
        let found: RemoteNode
        let tag: EntityTag?
        let isDeleted: Bool
        switch node.kind {
        case .fund:
            let fund = try await session.fund(FundID(node.key.id))
            (found, tag) = (RemoteNode(key: node.key, parent: nil, name: fund.name), nil)
            isDeleted = fund.deletedAt != nil
        case .folder:
            let folder = try await session.taggedFolder(FolderID(node.key.id))
            (found, tag) = (
                RemoteNode(folder.value, in: parent(fund: folder.value.fund, folder.value.parent)), folder.tag
            )
            isDeleted = folder.value.deletedAt != nil
        case .file:
            let file = try await session.taggedFile(FileID(node.key.id))
            (found, tag) = (RemoteNode(file.value, in: parent(fund: file.value.fund, file.value.folder)), file.tag)
            isDeleted = file.value.deletedAt != nil
        }
        guard !isDeleted, found.key == node.key, found.parent == node.parent, found.name == node.name,
            found.digest == node.digest
        else {
            throw ClientError(.preconditionFailed, "it changed on the server meanwhile")
        }
        return tag
    }

    // MARK: Bytes

    /// From this size on an upload goes on where it was cut off.
    private static let resumableBytes: Int64 = 8 << 20

    func remember(in state: SyncState) { memory.withLock { $0.uploads = UploadMemory(state: state) } }

    func upload(_ source: FileSource, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    {
        let place = try place(parent)
        let file = try await send(source) { bytes throws(ClientError) in
            try await session.upload(bytes, named: name, to: place, modifiedAt: source.modifiedAt)
        } orTo: { () async throws(ClientError) in
            let (fund, folder) = try await session.fundAndFolder(place)
            return .new(name: name, fund: fund, folder: folder, ifTaken: .refuse)
        }
        return RemoteNode(file, in: parent)
    }

    func replace(_ node: RemoteNode, with source: FileSource) async throws(ClientError) -> RemoteNode {
        let id = FileID(node.key.id)
        let file = try await send(source) { bytes throws(ClientError) in
            try await session.replaceContent(
                of: id, with: bytes, ifMatch: node.digest, modifiedAt: source.modifiedAt)
        } orTo: {
            .content(of: id, ifMatch: node.digest)
        }
        return RemoteNode(file, in: self.parent(fund: file.fund, file.folder))
    }

    /// Sends a file: in one request where it is small and no proxy refuses it, else so that it can be resumed.
    private func send(
        _ file: FileSource, atOnce: (RequestBody) async throws(ClientError) -> File,
        orTo target: () async throws(ClientError) -> Upload.Target
    ) async throws(ClientError) -> File {
        let bytes = file.bytes
        if file.size < Self.resumableBytes, file.size <= session.pieceLimit.current ?? .max {
            let body: RequestBody =
                file.size == 0
                ? .bytes([])
                : .stream(length: file.size) {
                    file.meter.set(0, file.size)
                    return bytes.pieces(onPiece: file.meter.add)
                }
            do { return try await atOnce(body) } catch {
                guard error.code == .proxyLimit, session.pieceLimit.lower(below: file.size) else {
                    throw await bytes.failure ?? error
                }
            }
        }
        return try await sendResuming(file, bytes, to: try await target())
    }

    private func sendResuming(
        _ file: FileSource, _ bytes: UploadSource, to target: Upload.Target
    ) async throws(ClientError) -> File {
        let uploads = memory.withLock { $0.uploads }
        let name = "upload \(target) \(file.digest)"
        var faults = 0
        while true {
            let upload = ResumableUpload(
                server: session, source: bytes, target: target, meter: file.meter, known: uploads?[name],
                keep: { uploads?.set($0, for: name) }, isWanted: { $0.isResult(of: target) })
            do {
                let sent = try await upload.run()
                uploads?.set(nil, for: name)
                return sent
            } catch {
                faults += 1
                // The session repeats no piece, and the next look at both sides goes on after cuts alone.
                if [.serverFault, .noSpaceOnServer].contains(error.code), !error.wasRetried, file.isUnchanged,
                    let delay = session.retries.delay(after: faults, error)
                {
                    do { try await Task.sleep(for: delay) } catch { throw ClientError(.cancelled, "cancelled") }
                    continue
                }
                // An upload that another try does not mend begins anew another time.
                if error.code != .cancelled, !error.isWorthRetrying || !file.isUnchanged, let address = uploads?[name] {
                    try await upload.forget(address)
                }
                throw error
            }
        }
    }

    func content(of node: RemoteNode, from offset: Int64) async throws(ClientError) -> Content {
        try await session.content(of: FileID(node.key.id), from: offset, ifRange: node.digest)
    }
}

extension File {
    /// Whether it is the file that an upload was to make.
    fileprivate func isResult(of target: Upload.Target) -> Bool {
        if deletedAt != nil { return false }
        switch target {
        case .new(let name, let fund, let folder, _):
            return SyncName.key(self.name) == SyncName.key(name) && self.fund == fund && self.folder == folder
        case .content(let id, _): return self.id == id
        }
    }
}

extension RemoteNode {
    init(_ folder: Folder, in parent: RemoteKey?) {
        self.init(key: RemoteKey(kind: .folder, id: folder.id.value), parent: parent, name: folder.name)
    }

    init(_ file: File, in parent: RemoteKey?) {
        self.init(
            key: RemoteKey(kind: .file, id: file.id.value), parent: parent, name: file.name, digest: file.digest,
            size: file.size, modified: file.modifiedAt.secondsSince1970)
    }
}
