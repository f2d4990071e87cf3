/// What lies on the server at one moment, to be read place by place.
protocol RemoteListing: Sendable {
    /// Calls the body once, on this thread; what it is given is of no use afterwards. Throws what the body throws, and
    /// what a database throws.
    func read(_ body: (any RemotePlaces) throws -> Void) throws
}

/// All calls throw what a database throws.
protocol RemotePlaces {
    /// What lies in a place, in the order of the bytes of the names.
    /// - Parameter parent: nil for the top.
    func children(of parent: RemoteKey?) throws -> () throws -> RemoteNode?
    /// Nil where it is not below the top.
    func node(_ key: RemoteKey) throws -> RemoteNode?
}

/// One that is in memory.
struct TreeListing: RemoteListing, RemotePlaces {
    private var children: [RemoteKey?: [RemoteNode]] = [:]
    private var nodes: [RemoteKey: RemoteNode] = [:]

    /// - Parameter tree: what is not below the top is left out.
    init(_ tree: RemoteTree) {
        let all = Dictionary(grouping: tree.nodes, by: \.parent)
        var places: [RemoteKey?] = [nil]
        while let place = places.popLast() {
            guard let found = all[place], children[place] == nil else { continue }
            children[place] = found.sorted { FolderNames.order($0.name, $1.name) < 0 }
            for node in found {
                nodes[node.key] = node
                if !node.kind.isFile { places.append(node.key) }
            }
        }
    }

    func read(_ body: (any RemotePlaces) throws -> Void) throws { try body(self) }

    func children(of parent: RemoteKey?) throws -> () throws -> RemoteNode? {
        var rest = (children[parent] ?? [])[...]
        return { rest.popFirst() }
    }

    func node(_ key: RemoteKey) throws -> RemoteNode? { nodes[key] }
}
