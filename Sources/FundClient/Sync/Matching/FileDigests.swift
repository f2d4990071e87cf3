/// Finds out what bytes the local files of a tree have.
struct FileDigests {
    let folder: LocalFolder
    /// Digests of files that need not be read again.
    let known: [Fingerprint: Digest]
    /// A file that changed within so many nanoseconds may not be complete.
    let settleTime: Int64

    /// Read at once.
    private static let pieceBytes = 1 << 20

    init(_ folder: LocalFolder, known: [Fingerprint: Digest], settleTime: Duration) {
        (self.folder, self.known) = (folder, known)
        self.settleTime = Int64(clamped: settleTime)
    }

    /// Reads those files that have no digest yet. What cannot be read, and what changed a moment ago, is held.
    func fill(_ tree: inout LocalTree) {
        for index in tree.nodes.indices { fill(&tree, index) }
    }

    private func fill(_ tree: inout LocalTree, _ index: Int) {
        let node = tree.nodes[index]
        guard node.kind.isFile, node.hold == nil, node.digest == nil else { return }
        if let digest = known[node.fingerprint] {
            tree.nodes[index].digest = digest
            return
        }
        // A clock that was wrong gives any time.
        let (age, isFar) = LocalFiles.now().subtractingReportingOverflow(node.fingerprint.changed)
        guard isFar || age.magnitude >= settleTime else {
            tree.nodes[index].hold = .unsettled
            return
        }
        do {
            tree.nodes[index].digest = try Self.digest(folder.path(tree.names(of: index)), node.fingerprint)
            if tree.nodes[index].digest == nil { tree.nodes[index].hold = .unsettled }
        } catch {
            tree.nodes[index].hold =
                error.isMissing ? .unsettled : .unreadable("it cannot be read: \(error.systemDetail)")
        }
    }

    /// Digest of a file's bytes; nil when the file changes meanwhile.
    static func digest(_ path: String, _ expected: Fingerprint) throws(ClientError) -> Digest? {
        let file = try OpenFile(path, .read)
        guard Fingerprint(try file.status()) == expected else { return nil }
        var (digest, count) = (DigestBuilder(), Int64(0))
        while true {
            let bytes = try file.read(pieceBytes, at: count)
            digest.add(bytes)
            count += Int64(bytes.count)
            if bytes.count < pieceBytes { break }
        }
        guard Fingerprint(try file.status()) == expected else { return nil }
        return digest.digest
    }
}

extension LocalTree {
    fileprivate func names(of index: Int) -> [String] {
        var (names, current): ([String], Int?) = ([], index)
        while let here = current {
            names.append(nodes[here].name)
            current = nodes[here].parent
        }
        return names.reversed()
    }
}
