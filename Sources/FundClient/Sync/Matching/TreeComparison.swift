/// Compares what lies here, what lies on the server, and what both sides had, place by place and in the order of the
/// names: only what differs stays in memory.
///
/// A thing is in step when both sides have it under the name, in the folder and with the bytes of its row. That is
/// looked at for each thing alone, not for the folders above it: when a folder with everything in it is moved, only the
/// folder differs.
struct TreeComparison {
    let folder: LocalFolder
    let base: BasePlaces
    let remote: any RemotePlaces
    let options: ComparisonOptions

    var result = ComparedTrees()
    /// Rows that `result` has.
    var loadedRows: Set<BaseRow.ID> = []
    var loadedRemote: Set<RemoteKey> = []
    /// Folders that were found here.
    var visitedRows: Set<BaseRow.ID> = []
    var visitedRemote: Set<RemoteKey> = []
    /// Folders of the server that were not found here when they were seen.
    var remoteFolders: [RemoteFolder] = []
    var newCount = 0
    var times = FolderTimes()
    var device: UInt64 = 0
    /// One folder was found in two places, as the system shows one that is mounted a second time.
    var isDoubtful = false
    /// Folders that are still to be looked into.
    var waiting: [ComparedPlace] = []

    struct RemoteFolder {
        var key: RemoteKey
        var isNew: Bool
        var isDeferred: Bool
    }

    /// Limit of new beginnings while files are moved about.
    private static let maxRounds = 4

    init(_ folder: LocalFolder, _ base: BasePlaces, _ remote: any RemotePlaces, _ options: ComparisonOptions) {
        (self.folder, self.base, self.remote, self.options) = (folder, base, remote, options)
    }

    /// Throws `SyncLocalError` when the folder itself cannot be read, and what a database throws.
    static func run(
        _ folder: LocalFolder, _ base: BasePlaces, _ remote: any RemotePlaces, _ options: ComparisonOptions
    ) throws -> ComparedTrees {
        var round = 0
        while true {
            round += 1
            var comparison = TreeComparison(folder, base, remote, options)
            try comparison.compare()
            // A thing that is moved from a folder that is not read yet into one that was would be missing.
            guard round == maxRounds || comparison.times.areStill(below: folder.root) else { continue }
            guard try options.isWhole || comparison.isSound() else {
                var all = options
                all.isWhole = true
                comparison = TreeComparison(folder, base, remote, all)
                try comparison.compare()
                return comparison.result
            }
            return comparison.result
        }
    }

    private mutating func compare() throws {
        do { device = try LocalFiles.status(folder.root).device } catch { throw SyncLocalError(error) }
        waiting = [ComparedPlace("", nil, in: nil, base: nil, remote: nil)]
        while let place = waiting.popLast() { try look(into: place) }
        try takeRowsOfMissingFolders()
        try lookIntoRemoteFolders()
        result.base.sort { $0.id < $1.id }
        let files = result.base.reduce(0) { $0 + ($1.kind.isFile ? 1 : 0) }
        result.unchangedFiles = try base.fileCount() - files
    }

    private mutating func look(into place: ComparedPlace) throws {
        let names: FolderNames
        do {
            let path = folder.path(place.names)
            let modified = try LocalFiles.status(path).modified
            // Names alone may be listed of a folder whose things cannot be looked at.
            _ = try LocalFiles.status("\(path)/.")
            place.number = times.add(place.name, in: place.parent?.number, modified: modified)
            names = try FolderNames(path: path)
        } catch {
            guard !place.isTop else { throw SyncLocalError(error) }
            try take(place)
            if let node = place.node {
                result.local.nodes[node].hold = .unreadable("it cannot be read: \(error.systemDetail)")
            }
            if let key = place.remote {
                remoteFolders.append(RemoteFolder(key: key, isNew: place.isNew, isDeferred: place.isDeferred))
            }
            return
        }
        if let row = place.base { isDoubtful = !visitedRows.insert(row).inserted || isDoubtful }
        if let key = place.remote { visitedRemote.insert(key) }
        for name in names.unreadable {
            let text = String(decoding: name, as: UTF8.self)
            result.local.unnamed.append(
                UnnamedNode(
                    path: (place.names + [text]).joined(separator: "/"), reason: "its name is not UTF-8; rename it",
                    inodes: inodes(Array(folder.path(place.names).utf8) + [UInt8(ascii: "/")] + name)))
        }
        try mergeNames(place, names)
    }

    /// Inodes of a thing, whatever its name, and of all below.
    private func inodes(_ path: [UInt8]) -> Set<UInt64> {
        guard let status = try? LocalFiles.status(path) else { return [] }
        var inodes: Set = [status.inode]
        guard status.kind == .folder else { return inodes }
        LocalFiles.walk(path, except: SyncName.ownFolder) { status in
            inodes.insert(status.inode)
            return true
        }
        return inodes
    }

    // MARK: What is taken

    /// A folder with all that is the same, and the folders above.
    mutating func take(_ place: ComparedPlace) throws {
        guard place.node == nil, let parent = place.parent, let status = place.status else { return }
        try take(parent)
        place.node = try takeLocal(place.name, status, below: parent)
        if let row = place.base { try takeRow(row) }
        if let key = place.remote { try takeRemote(key) }
    }

    /// Gives the index among the nodes.
    mutating func takeLocal(_ name: String, _ status: FileStatus, below parent: ComparedPlace) throws -> Int {
        let kind = kind(status, in: parent)
        var node = LocalNode(parent: parent.node, name: name, kind: kind, fingerprint: Fingerprint(status))
        node.hold = refusal(status).map { .refused($0) }
        if kind.isFile, node.hold == nil {
            node.digest = try base.digest(of: node.fingerprint)
        }
        result.local.nodes.append(node)
        return result.local.nodes.count - 1
    }

    func kind(_ status: FileStatus, in parent: ComparedPlace) -> SyncKind {
        guard status.kind == .folder else { return .file }
        return parent.isTop && options.topIsFunds ? .fund : .folder
    }

    func refusal(_ status: FileStatus) -> String? {
        switch status.kind {
        case .file: nil
        case .folder: status.device == device ? nil : "another file system is mounted there"
        case .link: "it is a link"
        case .other: "it is neither a file nor a folder"
        }
    }

    mutating func takeRow(_ id: BaseRow.ID) throws {
        guard !loadedRows.contains(id), let row = try base.row(id) else { return }
        take(row)
    }

    mutating func take(_ row: BaseRow) {
        if loadedRows.insert(row.id).inserted { result.base.append(row) }
    }

    mutating func takeRemote(_ key: RemoteKey) throws {
        guard !loadedRemote.contains(key), let node = try remote.node(key) else { return }
        take(node)
    }

    mutating func take(_ node: RemoteNode) {
        if loadedRemote.insert(node.key).inserted { result.remote.nodes.append(node) }
    }

    // MARK: Folders that are not here

    /// Takes the rows in folders that are not here any more, or have come here anew.
    private mutating func takeRowsOfMissingFolders() throws {
        var missing: [BaseRow.ID] = []
        let parents = try base.parents()
        while let parent = try parents() {
            if let parent, !visitedRows.contains(parent) { missing.append(parent) }
        }
        for parent in missing {
            try takeRow(parent)
            let children = try base.children(of: parent)
            while let row = try children() { take(row) }
        }
    }

    /// Compares folders of the server that are not here.
    private mutating func lookIntoRemoteFolders() throws {
        while let folder = remoteFolders.popLast() {
            guard visitedRemote.insert(folder.key).inserted else { continue }
            let children = try remote.children(of: folder.key)
            while let node = try children() {
                let isNew = try folder.isNew && !base.knows(node.key)
                let isDeferred = isNew && defers([node], isIdle: options.direction == .up, folder.isDeferred)
                if !isDeferred {
                    try takeAbove(node)
                    take(node)
                }
                if !node.kind.isFile {
                    remoteFolders.append(RemoteFolder(key: node.key, isNew: isNew, isDeferred: isDeferred))
                }
            }
        }
    }

    /// The folders above a node, as far as they have not been taken.
    private mutating func takeAbove(_ node: RemoteNode) throws {
        var above = node.parent
        while let key = above, !loadedRemote.contains(key), let folder = try remote.node(key) {
            take(folder)
            above = folder.parent
        }
    }

    /// Whether new things, which are the same on both sides if they are two, are left out.
    mutating func defers(_ nodes: [RemoteNode], isIdle: Bool, _ isParentDeferred: Bool) -> Bool {
        defers(bytes: nodes.reduce(0) { $0 + $1.size }, isIdle, isParentDeferred, nodes.map { .remote($0.key) })
    }

    mutating func defers(bytes: Int64, _ isIdle: Bool, _ isParentDeferred: Bool, _ identities: [SyncIdentity]) -> Bool {
        if options.isWhole { return false }
        if isIdle { return true }
        if !options.skipped.isEmpty, identities.contains(where: options.skipped.contains) {
            result.skipped += 1
            return true
        }
        guard newCount < options.maxNew, !isParentDeferred else {
            result.deferred += 1
            result.deferredBytes += bytes
            return true
        }
        newCount += 1
        return false
    }

    /// No row may claim that the server has something no more only because it was left out.
    private func isSound() throws -> Bool {
        if isDoubtful { return false }
        return try result.base.allSatisfy { row in
            try loadedRemote.contains(row.remote) || remote.node(row.remote) == nil
        }
    }
}
