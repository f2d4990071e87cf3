@testable import FundClient

/// A listing of a tree in memory.
struct TreeListing: RemoteListing, RemotePlaces {
    private var children: [RemoteKey?: [RemoteNode]] = [:]
    private var nodes: [RemoteKey: RemoteNode] = [:]
    let history: RemoteHistory?

    /// - Parameter tree: what is not below the top is left out.
    init(_ tree: RemoteTree, history: RemoteHistory? = nil) {
        self.history = history
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
