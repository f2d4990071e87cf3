/// Finds out which local and remote things are the same, and the same as before: by id on the server, by inode here,
/// and by name where a program wrote a new file in place of the old one.
struct EntityMatching {
    private let base: [BaseRow]
    private let local: LocalTree
    private let remote: RemoteTree

    private(set) var entities: [SyncEntity] = []
    private var entityOfRow: [BaseRow.ID: SyncEntity.ID] = [:]
    private(set) var entityOfNode: [SyncEntity.ID?]
    private(set) var entityOfRemote: [RemoteKey: SyncEntity.ID] = [:]
    private var childrenOfNode: [Int: [Int]] = [:]
    private var childrenOfRemote: [RemoteKey?: [Int]] = [:]

    private static let top = -1

    init(base: [BaseRow], local: LocalTree, remote: RemoteTree) {
        self.base = Self.parentsFirst(base)
        self.local = local
        self.remote = RemoteTree(nodes: Self.parentsFirst(remote.nodes))
        entityOfNode = Array(repeating: nil, count: local.nodes.count)
        for (index, node) in local.nodes.enumerated() {
            childrenOfNode[node.parent ?? Self.top, default: []].append(index)
        }
        for (index, node) in self.remote.nodes.enumerated() { childrenOfRemote[node.parent, default: []].append(index) }
        for row in self.base {
            entityOfRow[row.id] = entities.count
            let parent = row.parent.flatMap { entityOfRow[$0] }
            entities.append(SyncEntity(kind: row.kind, base: row, parent: parent, name: row.name))
        }
        matchRemote()
        matchLocal()
        addRemote()
        addLocal()
    }

    // MARK: The server's

    private mutating func matchRemote() {
        var found: [RemoteKey: Int] = [:]
        for (index, node) in remote.nodes.enumerated() { found[node.key] = index }
        for row in base {
            guard let entity = entityOfRow[row.id], let index = found[row.remote] else { continue }
            set(remote.nodes[index], of: entity)
        }
        var remoteNames: [RemoteKey?: [String: [Int]]] = [:]
        // A program that deletes and stores again makes another id under the same name.
        for row in base where row.kind != .fund {
            guard let entity = entityOfRow[row.id], entities[entity].remote == nil, let parent = remoteParent(of: row)
            else { continue }
            if remoteNames[parent.key] == nil {
                remoteNames[parent.key] = Dictionary(grouping: childrenOfRemote[parent.key] ?? []) {
                    remote.nodes[$0].name
                }
            }
            let index = (remoteNames[parent.key]?[row.name] ?? []).first {
                let node = remote.nodes[$0]
                return node.kind == row.kind && entityOfRemote[node.key] == nil
            }
            if let index { set(remote.nodes[index], of: entity) }
        }
    }

    /// Where the things lie now that lay beside the row; nil when that place is gone.
    private func remoteParent(of row: BaseRow) -> (key: RemoteKey?, isThere: Bool)? {
        guard let parent = row.parent else { return (nil, true) }
        guard let entity = entityOfRow[parent], let node = entities[entity].remote else { return nil }
        return (node.key, true)
    }

    private mutating func set(_ node: RemoteNode, of entity: SyncEntity.ID) {
        guard entityOfRemote[node.key] == nil else { return }
        entities[entity].remote = node
        entityOfRemote[node.key] = entity
    }

    // MARK: Those here

    private mutating func matchLocal() {
        var rowsOfInode: Set<UInt64> = []
        for row in base { rowsOfInode.insert(row.fingerprint.inode) }
        let places = exactPlaces()
        // First by name: the same file, or one in its place that is not known otherwise.
        for row in base {
            guard let entity = entityOfRow[row.id], let index = places[row.id], entityOfNode[index] == nil else {
                continue
            }
            let node = local.nodes[index]
            let isSame = node.fingerprint.inode == row.fingerprint.inode
            let isReplaced = row.kind.isFile && !rowsOfInode.contains(node.fingerprint.inode)
            if isSame && node.kind == row.kind || isReplaced && node.kind == row.kind || isRefused(node) {
                set(index, of: entity)
            }
        }
        // Another name: moved. Of a file only with the same bytes; an inode is given to other files later.
        var nodesOfInode: [UInt64: [Int]] = [:]
        for (index, node) in local.nodes.enumerated() where entityOfNode[index] == nil && !isRefused(node) {
            nodesOfInode[node.fingerprint.inode, default: []].append(index)
        }
        for row in base {
            guard let entity = entityOfRow[row.id], entities[entity].local == nil else { continue }
            let index = (nodesOfInode[row.fingerprint.inode] ?? []).first { index in
                let node = local.nodes[index]
                guard entityOfNode[index] == nil, node.kind == row.kind else { return false }
                return !row.kind.isFile || node.hold != nil || node.digest == row.digest
            }
            if let index { set(index, of: entity) }
        }
        matchArrived()
        // Then by name in a folder that was moved itself.
        var names: [Int: [String: [Int]]] = [:]
        for row in base {
            guard let entity = entityOfRow[row.id], entities[entity].local == nil else { continue }
            let place: Int
            if let parent = row.parent {
                guard let node = entityOfRow[parent].flatMap({ entities[$0].local }) else { continue }
                place = node
            } else {
                place = Self.top
            }
            if names[place] == nil {
                names[place] = Dictionary(grouping: childrenOfNode[place] ?? []) { local.nodes[$0].name }
            }
            let index = (names[place]?[row.name] ?? []).first {
                entityOfNode[$0] == nil && (local.nodes[$0].kind == row.kind || isRefused(local.nodes[$0]))
            }
            if let index { set(index, of: entity) }
        }
    }

    /// Another name and other bytes, which the server has, too: a run was killed before it noted that it had
    /// transferred them, and the file was moved since.
    private mutating func matchArrived() {
        var entityOfBytes: [Digest: SyncEntity.ID] = [:]
        for row in base where row.kind.isFile {
            guard let entity = entityOfRow[row.id], entities[entity].local == nil,
                let digest = entities[entity].remote?.digest, digest != row.digest
            else { continue }
            entityOfBytes[digest] = entity
        }
        if entityOfBytes.isEmpty { return }
        for (index, node) in local.nodes.enumerated() where entityOfNode[index] == nil && !isRefused(node) {
            guard node.kind.isFile, let digest = node.digest, let entity = entityOfBytes.removeValue(forKey: digest)
            else { continue }
            set(index, of: entity)
        }
    }

    private func isRefused(_ node: LocalNode) -> Bool {
        switch node.hold {
        case .refused, .unreadable: true
        case .unsettled, nil: false
        }
    }

    /// The node, if any, that lies exactly where a row says, every folder above it by name.
    private func exactPlaces() -> [BaseRow.ID: Int] {
        var places: [BaseRow.ID: Int] = [:]
        var byName: [Int: [String: Int]] = [:]
        for row in base {
            let place: Int
            if let parent = row.parent {
                guard let above = places[parent] else { continue }
                place = above
            } else {
                place = Self.top
            }
            if byName[place] == nil {
                byName[place] = Dictionary(
                    (childrenOfNode[place] ?? []).map { (local.nodes[$0].name, $0) },
                    uniquingKeysWith: { first, _ in first })
            }
            places[row.id] = byName[place]?[row.name]
        }
        return places
    }

    private mutating func set(_ node: Int, of entity: SyncEntity.ID) {
        entities[entity].local = node
        entityOfNode[node] = entity
    }

    // MARK: New ones

    private mutating func addRemote() {
        var keys: [Int: [String: [Int]]] = [:]
        for node in remote.nodes where entityOfRemote[node.key] == nil {
            let parent = node.parent.flatMap { entityOfRemote[$0] }
            guard node.parent == nil || parent != nil else { continue }
            let entity = entities.count
            entities.append(SyncEntity(kind: node.kind, parent: parent, name: node.name))
            set(node, of: entity)
            // Made on both sides.
            let place = parent == nil ? Self.top : parent.flatMap { entities[$0].local }
            guard let place else { continue }
            if keys[place] == nil {
                keys[place] = Dictionary(grouping: childrenOfNode[place] ?? []) { SyncName.key(local.nodes[$0].name) }
            }
            let candidates = (keys[place]?[SyncName.key(node.name)] ?? []).filter {
                entityOfNode[$0] == nil && local.nodes[$0].kind == node.kind && !isRefused(local.nodes[$0])
            }
            if let index = candidates.first(where: { local.nodes[$0].name == node.name }) ?? candidates.first {
                set(index, of: entity)
            }
        }
    }

    private mutating func addLocal() {
        for (index, node) in local.nodes.enumerated() where entityOfNode[index] == nil {
            let parent = node.parent.flatMap { entityOfNode[$0] }
            entityOfNode[index] = entities.count
            entities.append(SyncEntity(kind: node.kind, local: index, parent: parent, name: node.name))
        }
    }

    // MARK: Order

    private static func parentsFirst(_ rows: [BaseRow]) -> [BaseRow] {
        parentsFirst(rows, id: { $0.id }, parent: { $0.parent })
    }

    private static func parentsFirst(_ nodes: [RemoteNode]) -> [RemoteNode] {
        parentsFirst(nodes, id: { $0.key }, parent: { $0.parent })
    }

    /// Items whose parent is missing come last, in their order.
    private static func parentsFirst<Item, ID: Hashable>(_ items: [Item], id: (Item) -> ID, parent: (Item) -> ID?)
        -> [Item]
    {
        var children: [ID: [Int]] = [:]
        var ids: Set<ID> = []
        for item in items { ids.insert(id(item)) }
        var order: [Int] = []
        for (index, item) in items.enumerated() {
            if let parent = parent(item), ids.contains(parent) {
                children[parent, default: []].append(index)
            } else {
                order.append(index)
            }
        }
        var next = 0
        while next < order.count {
            order += children[id(items[order[next]])] ?? []
            next += 1
        }
        return order.map { items[$0] }
    }
}
