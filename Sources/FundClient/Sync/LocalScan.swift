internal import Crypto

/// Looks at all that lies in a kept folder.
struct LocalScan {
    let folder: LocalFolder
    /// Digests of files that need not be read again.
    let known: [Fingerprint: Digest]
    /// A file that changed within so many nanoseconds may not be complete.
    let settleTime: Int64
    let topIsFunds: Bool

    private var tree = LocalTree()
    /// Of the folders, when their names were read.
    private var times: [(path: String, modified: Int64)] = []
    private var device: UInt64 = 0

    /// How often it begins anew while files are moved about.
    private static let maxRounds = 4
    /// Read at once.
    private static let pieceBytes = 1 << 20

    init(_ folder: LocalFolder, known: [Fingerprint: Digest], settleTime: Duration, topIsFunds: Bool) {
        self.folder = folder
        self.known = known
        self.settleTime =
            settleTime.components.seconds * 1_000_000_000 + settleTime.components.attoseconds / 1_000_000_000
        self.topIsFunds = topIsFunds
    }

    /// Throws `SyncLocalError` when the folder itself cannot be read.
    mutating func run() throws -> LocalTree {
        for round in 1...Self.maxRounds {
            (tree, times) = (LocalTree(), [])
            do {
                device = try FileCalls.status(folder.root).device
                try look(into: folder.root, node: nil, shown: "")
            } catch { throw SyncLocalError(error) }
            var next = 0
            while next < tree.nodes.count {
                lookBelow(next)
                next += 1
            }
            // What is moved from a folder that is not read yet into one that was would be missing.
            let isStill = times.allSatisfy { time in
                (try? FileCalls.status(time.path)).map { $0.modified == time.modified } ?? false
            }
            if isStill || round == Self.maxRounds { break }
        }
        for index in tree.nodes.indices { readBytes(of: index) }
        return tree
    }

    private func names(of index: Int) -> [String] {
        var (names, current): ([String], Int?) = ([], index)
        while let here = current {
            names.append(tree.nodes[here].name)
            current = tree.nodes[here].parent
        }
        return names.reversed()
    }

    private mutating func lookBelow(_ index: Int) {
        guard !tree.nodes[index].kind.isFile, tree.nodes[index].hold == nil else { return }
        let names = names(of: index)
        do { try look(into: folder.path(names), node: index, shown: names.joined(separator: "/") + "/") } catch {
            tree.nodes[index].hold = .refused("it cannot be read: \(error.detail)")
        }
    }

    private mutating func look(into path: String, node: Int?, shown: String) throws(FileCalls.Failure) {
        times.append((path, try FileCalls.status(path).modified))
        let names = try FileCalls.names(in: path).sorted { $0.lexicographicallyPrecedes($1) }
        for bytes in names {
            let name = String(decoding: bytes, as: UTF8.self)
            guard name.utf8.elementsEqual(bytes) else {
                tree.unnamed.append((shown + name, "its name is not UTF-8"))
                continue
            }
            if node == nil, name == SyncName.ownFolder { continue }
            // What is gone meanwhile shows in the time of the folder.
            guard let status = try? FileCalls.status("\(path)/\(name)") else { continue }
            add(name, status, below: node)
        }
    }

    private mutating func add(_ name: String, _ status: FileCalls.Status, below parent: Int?) {
        var node = LocalNode(parent: parent, name: name, kind: .file, fingerprint: Fingerprint(status))
        switch status.kind {
        case .file: break
        case .folder:
            node.kind = parent == nil && topIsFunds ? .fund : .folder
            if status.device != device { node.hold = .refused("another file system is mounted there") }
        case .link: node.hold = .refused("it is a link")
        case .other: node.hold = .refused("it is neither a file nor a folder")
        }
        tree.nodes.append(node)
    }

    private mutating func readBytes(of index: Int) {
        let node = tree.nodes[index]
        guard node.kind.isFile, node.hold == nil else { return }
        if let digest = known[node.fingerprint] {
            tree.nodes[index].digest = digest
            return
        }
        let age = FileCalls.now() - node.fingerprint.changed
        guard abs(age) >= settleTime else {
            tree.nodes[index].hold = .unsettled
            return
        }
        do {
            tree.nodes[index].digest = try Self.digest(folder.path(names(of: index)), node.fingerprint)
            if tree.nodes[index].digest == nil { tree.nodes[index].hold = .unsettled }
        } catch {
            tree.nodes[index].hold = error.isMissing ? .unsettled : .refused("it cannot be read: \(error.detail)")
        }
    }

    /// Of a file's bytes; nil when it changes meanwhile.
    static func digest(_ path: String, _ expected: Fingerprint) throws(FileCalls.Failure) -> Digest? {
        let descriptor = try FileCalls.open(path, for: .reading)
        defer { FileCalls.close(descriptor) }
        guard Fingerprint(try FileCalls.status(of: descriptor)) == expected else { return nil }
        var hash = SHA256()
        while true {
            let bytes = try FileCalls.read(descriptor, upTo: pieceBytes)
            if bytes.isEmpty { break }
            hash.update(data: bytes)
        }
        guard Fingerprint(try FileCalls.status(of: descriptor)) == expected else { return nil }
        return Digest(bytes: hash.finalize())
    }
}
