extension TreeComparison {
    /// Things with one name in a place, in all three trees.
    struct Group {
        /// Indices of names, with what the system knows of them.
        var locals: [(index: Int, status: FileStatus)] = []
        var rows: [BaseRow] = []
        var nodes: [RemoteNode] = []
    }

    /// Compares what lies in a place, and puts the folders in it on the list of those that are to be looked into.
    mutating func mergeNames(_ place: ComparedPlace, _ names: FolderNames) throws {
        var inner: [Int: ComparedPlace] = [:]
        var taken = TakenNames()
        try eachGroup(place, names) { comparison, group in
            try comparison.compare(group, place, names, &inner, &taken)
        }
        if !taken.isEmpty {
            try eachGroup(place, names) { comparison, group in
                try comparison.takeIfInTheWay(group, place, names, &inner, &taken)
            }
        }
        waiting += inner.sorted { $0.key > $1.key }.map(\.value)
    }

    /// Names in a place that were taken into the result.
    struct TakenNames {
        /// Indices of local names.
        var locals: Set<Int> = []
        /// Keys by `SyncName.key`.
        var keys: Set<String> = []

        var isEmpty: Bool { keys.isEmpty }
    }

    private mutating func eachGroup(
        _ place: ComparedPlace, _ names: FolderNames, _ body: (inout TreeComparison, Group) throws -> Void
    ) throws {
        let rows = place.isTop || place.base != nil ? try base.children(of: place.base) : { nil }
        let nodes = place.isTop || place.remote != nil ? try remote.children(of: place.remote) : { nil }
        let path = folder.path(place.names)
        var (local, row, node) = (0, try rows(), try nodes())
        while true {
            let key = local < names.count ? names.key(local) : nil
            guard let name = Self.first(Self.first(key, row?.name), node?.name) else { return }
            var group = Group()
            while local < names.count, FolderNames.order(names.key(local), name) == 0 {
                defer { local += 1 }
                let own = names[local]
                // Also that of a folder in here that is kept in step by itself.
                if own == SyncName.ownFolder { continue }
                do {
                    group.locals.append((local, try LocalFiles.status("\(path)/\(own)")))
                } catch {
                    // A thing that is gone meanwhile shows in the time of the folder.
                    guard error.isMissing else { throw SyncLocalError(error) }
                }
            }
            while let found = row, FolderNames.order(found.name, name) == 0 {
                group.rows.append(found)
                row = try rows()
            }
            while let found = node, FolderNames.order(found.name, name) == 0 {
                group.nodes.append(found)
                node = try nodes()
            }
            try body(&self, group)
        }
    }

    private static func first(_ left: String?, _ right: String?) -> String? {
        guard let left, let right else { return left ?? right }
        return FolderNames.order(left, right) <= 0 ? left : right
    }

    // MARK: One group

    private mutating func compare(
        _ group: Group, _ place: ComparedPlace, _ names: FolderNames, _ inner: inout [Int: ComparedPlace],
        _ taken: inout TakenNames
    ) throws {
        if !options.isWhole, let row = unchanged(group, place) {
            guard !row.kind.isFile, let local = group.locals.first else { return }
            // With an inode that two rows have it is not certain which folder that is.
            if let known = try folderRow(local.status, place), known.id == row.id {
                inner[local.index] = ComparedPlace(
                    names[local.index], local.status, in: place, base: row.id, remote: row.remote)
                return
            }
        }
        let isNew = try isNew(group, place)
        var isDeferred = false
        // Things at the top may be refused, which a notice has to say.
        if isNew, !(place.isTop && options.topIsFunds) {
            let isIdle =
                options.direction == .down && group.nodes.isEmpty || options.direction == .up && group.locals.isEmpty
            let bytes =
                group.nodes.isEmpty
                ? group.locals.reduce(0) { $0 + Fingerprint($1.status).size }
                : group.nodes.reduce(0) { $0 + $1.size }
            isDeferred = defers(
                bytes: bytes, isIdle, place.isDeferred,
                group.nodes.map { .remote($0.key) } + group.locals.map { .local(inode: $0.status.inode) })
        }
        try addFolders(group, place, names, isNew: isNew, isDeferred: isDeferred, &inner)
        if !isDeferred { try take(group, place, names, inner, &taken) }
    }

    /// The row, if all three have the same.
    private func unchanged(_ group: Group, _ place: ComparedPlace) -> BaseRow? {
        guard group.locals.count == 1, group.rows.count == 1, group.nodes.count == 1 else { return nil }
        let (status, row, node) = (group.locals[0].status, group.rows[0], group.nodes[0])
        guard refusal(status) == nil, kind(status, in: place) == row.kind, row.remote == node.key,
            row.digest == node.digest, row.fingerprint == Fingerprint(status)
        else { return nil }
        return row
    }

    /// Nothing of it was there when both sides were in step.
    private func isNew(_ group: Group, _ place: ComparedPlace) throws -> Bool {
        guard place.mayDefer, group.rows.isEmpty else { return false }
        for local in group.locals {
            if try refusal(local.status) != nil || base.knows(inode: local.status.inode) { return false }
        }
        for node in group.nodes where try base.knows(node.key) { return false }
        return true
    }

    /// The row of a folder wherever it lay, if that is certain.
    private func folderRow(_ status: FileStatus, _ parent: ComparedPlace) throws -> BaseRow? {
        let kind = kind(status, in: parent)
        let rows = try base.rows(inode: status.inode).filter { !$0.kind.isFile }
        guard rows.count == 1, rows[0].kind == kind, !visitedRows.contains(rows[0].id) else { return nil }
        return rows[0]
    }

    private mutating func addFolders(
        _ group: Group, _ place: ComparedPlace, _ names: FolderNames, isNew: Bool, isDeferred: Bool,
        _ inner: inout [Int: ComparedPlace]
    ) throws {
        let folders = group.nodes.filter { !$0.kind.isFile }
        for local in group.locals where local.status.kind == .folder && refusal(local.status) == nil {
            let name = names[local.index]
            if let row = try folderRow(local.status, place) {
                let node = try remote.node(row.remote)
                inner[local.index] = ComparedPlace(
                    name, local.status, in: place, base: row.id, remote: node?.key)
            } else {
                // Made on both sides.
                let pair = isNew && group.locals.count == 1 && folders.count == 1 ? folders[0].key : nil
                inner[local.index] = ComparedPlace(
                    name, local.status, in: place, base: nil, remote: pair, isNew: isNew, isDeferred: isDeferred)
            }
        }
        for node in folders {
            remoteFolders.append(RemoteFolder(key: node.key, isNew: isNew, isDeferred: isDeferred))
        }
    }

    private mutating func take(
        _ group: Group, _ place: ComparedPlace, _ names: FolderNames, _ inner: [Int: ComparedPlace],
        _ taken: inout TakenNames
    ) throws {
        try take(place)
        for row in group.rows {
            take(row)
            taken.keys.insert(SyncName.key(row.name))
        }
        for node in group.nodes {
            take(node)
            taken.keys.insert(SyncName.key(node.name))
        }
        for local in group.locals where taken.locals.insert(local.index).inserted {
            let name = names[local.index]
            taken.keys.insert(SyncName.key(name))
            if SyncName.isTemporary(name) {
                // It gets the name of its row again.
                for row in try base.rows(inode: local.status.inode) { taken.keys.insert(SyncName.key(row.name)) }
            }
            if let folder = inner[local.index] {
                try take(folder)
            } else {
                _ = try takeLocal(name, local.status, below: place)
            }
        }
    }

    /// A name that is in use, and what could be called like a conflict copy, must be known to what gives names.
    private mutating func takeIfInTheWay(
        _ group: Group, _ place: ComparedPlace, _ names: FolderNames, _ inner: inout [Int: ComparedPlace],
        _ taken: inout TakenNames
    ) throws {
        let isInTheWay =
            group.rows.contains { Self.isInTheWay($0.name, taken) }
            || group.nodes.contains { Self.isInTheWay($0.name, taken) }
            || group.locals.contains { Self.isInTheWay(names[$0.index], taken) }
        guard isInTheWay else { return }
        try take(group, place, names, inner, &taken)
    }

    private static func isInTheWay(_ name: String, _ taken: TakenNames) -> Bool {
        taken.keys.contains(SyncName.key(name)) || name.contains(SyncName.conflictMark)
    }
}
