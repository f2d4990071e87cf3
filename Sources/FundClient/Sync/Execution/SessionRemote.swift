internal import Foundation
internal import GRDB
internal import Synchronization

/// The funds of a signed-in user as one side of a synchronization.
final class SessionRemote: RemoteSide {
    private let session: Session
    private let catalogue: Catalogue?
    /// Only this fund, its content at the top.
    private let fund: FundID?
    private let known = KnownTree()

    /// - Parameter catalogue: kept up to date where the server tells its changes with their items; without one, and
    ///   for other servers, all places are listed when something changed.
    init(_ session: Session, _ catalogue: Catalogue?, fund: FundID?) {
        (self.session, self.catalogue, self.fund) = (session, catalogue, fund)
    }

    private struct Feed: ChangeFeed {
        let session: Session

        func changes(since cursor: ChangeCursor, withItems: Bool, limit: Int) async throws(ClientError) -> ChangePage {
            try await session.changes(since: cursor, withItems: withItems, limit: limit)
        }

        func events(since cursor: ChangeCursor) -> AsyncThrowingStream<Change, any Error> {
            session.events(since: cursor)
        }
    }

    // MARK: Looking

    func listing() async throws(ClientError) -> any RemoteListing {
        if let catalogue, try await tellsItems() {
            return try await listing(of: catalogue)
        }
        let tree = try await listedTree()
        return TreeListing(tree, history: known.history.map { RemoteHistory(server: $0) })
    }

    /// Limit of looks for a catalogue that no other process begins anew at that moment.
    private static let maxLooks = 4

    private func listing(of catalogue: Catalogue) async throws(ClientError) -> any RemoteListing {
        for _ in 1...Self.maxLooks {
            try await CatalogueSync(of: catalogue, from: Feed(session: session)).catchUp()
            let snapshot = try catalogue.database.snapshot()
            let standing: Catalogue.Standing
            do { standing = try await snapshot.read { try Catalogue.Standing($0) } } catch {
                throw ClientError(local: error)
            }
            // One that is begun anew has things that the server has no more.
            guard standing.isComplete else { continue }
            known.set(cursor: standing.cursor)
            return CatalogueListing(
                snapshot: snapshot, fund: fund,
                history: RemoteHistory(server: standing.history, round: standing.round))
        }
        throw ClientError(.busy, "another process is reading anew what the server has")
    }

    /// Whether the server sends what changed with the changes.
    private func tellsItems() async throws(ClientError) -> Bool {
        if let answer = known.tellsItems { return answer }
        let page = try await session.changes(since: .beginning, withItems: true, limit: 20)
        let answer = page.changes.allSatisfy { $0.isDeleted || $0.item != nil }
        known.set(tellsItems: answer)
        return answer
    }

    /// Lists all places, unless nothing changed since the last time, until nothing changes meanwhile.
    private func listedTree() async throws(ClientError) -> RemoteTree {
        for round in 1...5 {
            let isChanged = try await catchUp()
            if !isChanged, let tree = known.tree { return tree }
            let tree = try await listAll()
            if try await !catchUp() || round == 5 {
                known.set(tree: tree)
                return tree
            }
        }
        throw ClientError(.busy, "the server's content changes all the time")
    }

    /// Goes on in the feed of changes. True when a fund, a folder or a file is among them.
    private func catchUp() async throws(ClientError) -> Bool {
        var isChanged = false
        while true {
            let page: ChangePage
            do {
                page = try await session.changes(since: known.cursor, withItems: false)
            } catch {
                guard error.code == .outdated, known.cursor != .beginning else { throw error }
                known.set(cursor: .beginning)
                known.set(history: UUID().uuidString)
                isChanged = true
                continue
            }
            if let history = page.history { known.set(history: history) }
            isChanged = isChanged || page.changes.contains { [.fund, .folder, .file].contains($0.kind) }
            known.set(cursor: page.cursor)
            if !page.hasMore { return isChanged }
        }
    }

    private func listAll() async throws(ClientError) -> RemoteTree {
        var tree = RemoteTree()
        var places: [(Place, RemoteKey?)] = []
        if let fund {
            places.append((.fund(fund), nil))
        } else {
            for fund in try await session.funds() where !fund.isArchived && fund.deletedAt == nil {
                let key = RemoteKey(kind: .fund, id: fund.id.value)
                tree.nodes.append(RemoteNode(key: key, parent: nil, name: fund.name))
                places.append((.fund(fund.id), key))
            }
        }
        while let (place, key) = places.popLast() {
            let items: [Item]
            do { items = try await session.items(of: place) } catch {
                // Deleted meanwhile: the feed tells.
                guard error.code == .notFound, key != nil else { throw error }
                continue
            }
            for item in items {
                switch item {
                case .folder(let folder):
                    let node = RemoteNode(folder, in: key)
                    tree.nodes.append(node)
                    places.append((.folder(folder.id), node.key))
                case .file(let file): tree.nodes.append(RemoteNode(file, in: key))
                }
            }
        }
        return tree
    }

    func waitForNews() async throws {
        for try await change in session.events(since: known.cursor) where [.fund, .folder, .file].contains(change.kind)
        {
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

    /// From so many bytes on an upload goes on where it was cut off.
    private static let resumableBytes: Int64 = 8 << 20

    func remember(in state: SyncState) { known.set(uploads: UploadMemory(state)) }

    func upload(_ source: FileSource, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    {
        let place = try place(parent)
        let file = try await send(source) { () async throws(ClientError) in
            try await session.upload(Self.body(source), named: name, to: place, modifiedAt: source.modifiedAt)
        } orTo: { () async throws(ClientError) in
            let (fund, folder) = try await session.fundAndFolder(place)
            return .new(name: name, fund: fund, folder: folder, ifTaken: .refuse)
        }
        return RemoteNode(file, in: parent)
    }

    /// Sends a file: in one request where it is small and no proxy refuses it, else so that it can be resumed.
    private func send(
        _ source: FileSource, atOnce: () async throws(ClientError) -> File,
        orTo target: () async throws(ClientError) -> Upload.Target
    ) async throws(ClientError) -> File {
        if source.size < Self.resumableBytes, source.size <= session.pieceLimit.current ?? .max {
            do { return try await atOnce() } catch {
                guard error.code == .proxyLimit, session.pieceLimit.lower(below: source.size) else { throw error }
            }
        }
        return try await UploadResuming(session: session, memory: known.uploads).upload(source, to: try await target())
    }

    func replace(_ node: RemoteNode, with source: FileSource) async throws(ClientError) -> RemoteNode {
        let id = FileID(node.key.id)
        let file = try await send(source) { () async throws(ClientError) in
            try await session.replaceContent(
                of: id, with: Self.body(source), ifMatch: node.digest, modifiedAt: source.modifiedAt)
        } orTo: {
            .content(of: id, ifMatch: node.digest)
        }
        return RemoteNode(file, in: self.parent(fund: file.fund, file.folder))
    }

    private static func body(_ source: FileSource) -> RequestBody {
        source.size == 0 ? .bytes([]) : .stream(length: source.size) { source.stream() }
    }

    func content(of node: RemoteNode, from offset: Int64) async throws(ClientError)
        -> AsyncThrowingStream<[UInt8], any Error>
    {
        let content = try await session.content(of: FileID(node.key.id), from: offset, ifRange: node.digest)
        if let digest = content.digest, digest != node.digest || content.offset != offset {
            throw ClientError(.preconditionFailed, "it changed on the server meanwhile")
        }
        let pieces = Pieces(content.body.makeAsyncIterator())
        return AsyncThrowingStream { try await pieces.next() }
    }

    /// Used by one task at a time: that which takes pieces from the stream.
    private final class Pieces: @unchecked Sendable {
        private var iterator: ContentBody.Iterator

        init(_ iterator: ContentBody.Iterator) { self.iterator = iterator }

        func next() async throws -> [UInt8]? {
            var iterator = self.iterator
            defer { self.iterator = iterator }
            return try await iterator.next()
        }
    }
}

/// What was seen of the server last.
private final class KnownTree: Sendable {
    private let state = Mutex(State())

    private struct State: Sendable {
        var cursor = ChangeCursor.beginning
        var tree: RemoteTree?
        var tellsItems: Bool?
        var uploads: UploadMemory?
        var history: String?
    }

    var uploads: UploadMemory? { state.withLock { $0.uploads } }
    var cursor: ChangeCursor { state.withLock { $0.cursor } }
    var history: String? { state.withLock { $0.history } }
    var tree: RemoteTree? { state.withLock { $0.tree } }
    var tellsItems: Bool? { state.withLock { $0.tellsItems } }

    func set(uploads: UploadMemory) { state.withLock { $0.uploads = uploads } }
    func set(cursor: ChangeCursor) { state.withLock { $0.cursor = cursor } }
    func set(history: String) { state.withLock { $0.history = history } }
    func set(tree: RemoteTree) { state.withLock { $0.tree = tree } }
    func set(tellsItems: Bool) { state.withLock { $0.tellsItems = tellsItems } }
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
