package import FundCore

/// The depth of nested folders: levels, and bytes of the path that their names make with a slash after each.
package struct FolderReach: Equatable, Sendable {
    /// A path of WebDAV has at most 100 names, with the fund's and the file's.
    static let maxDepth = 98
    /// Linux takes 4,096 (PATH_MAX), with where a fund is exported to before it and a file's name of 255 behind it.
    static let maxBytes = 3000

    var depth = 0
    var bytes = 0

    /// The top of a fund.
    package init() {}

    init(depth: Int, bytes: Int) { (self.depth, self.bytes) = (depth, bytes) }

    /// Both reaches one after the other.
    package static func + (a: FolderReach, b: FolderReach) -> FolderReach {
        FolderReach(depth: a.depth + b.depth, bytes: a.bytes + b.bytes)
    }

    /// One folder of this name.
    package static func of(_ name: String) -> FolderReach { FolderReach(depth: 1, bytes: name.utf8.count + 1) }

    var isAllowed: Bool { depth <= Self.maxDepth && bytes <= Self.maxBytes }

    /// Nil where folders may lie so deep.
    package var problem: InputProblem? {
        isAllowed
            ? nil
            : InputProblem(
                .tooDeep,
                "folders lie at most \(Self.maxDepth) deep in each other, with \(Self.maxBytes) bytes of names")
    }
}

extension LibraryChange {
    /// Throws `invalid` when a folder would lie too deep under this name in this place, or something in it would,
    /// unless it lies no higher now: what earlier versions allowed can be renamed and moved up.
    func checkReach(
        _ name: String, in place: LibraryPlace, holding tree: FolderReach = FolderReach(),
        from former: FolderReach? = nil, _ operation: String
    ) throws {
        let new = try reach(to: place.folder) + .of(name)
        guard let problem = (new + tree).problem else { return }
        if let former, new.depth <= former.depth, new.bytes <= former.bytes { return }
        throw StoreError(operation, problem)
    }

    /// The way from the top of its fund to a folder; nothing for the top itself.
    func reach(to folder: FolderEntry.ID?) throws -> FolderReach {
        guard let folder else { return FolderReach() }
        return try reach(
            """
            WITH RECURSIVE up (id, parent, bytes) AS (
                SELECT id, parent_id, \(SQL.bytes("name")) + 1 FROM folder WHERE id = ?1
                UNION ALL SELECT folder.id, folder.parent_id, \(SQL.bytes("folder.name")) + 1
                    FROM up \(SQL.thenJoin) folder ON folder.id = up.parent)
            SELECT count(*), sum(bytes) FROM up
            """, folder)
    }

    /// The way from a folder to the deepest item in it, and to the one with the longest path.
    func reach(below folder: FolderEntry.ID) throws -> FolderReach {
        try reach(
            """
            WITH RECURSIVE tree (id, depth, bytes) AS (
                SELECT ?1, 0, 0
                UNION ALL SELECT folder.id, tree.depth + 1, tree.bytes + \(SQL.bytes("folder.name")) + 1
                    FROM tree \(SQL.thenJoin) folder ON folder.parent_id = tree.id WHERE folder.deleted_at IS NULL)
            SELECT max(depth), max(bytes) FROM tree
            """, folder)
    }

    private func reach(_ sql: String, _ folder: FolderEntry.ID) throws -> FolderReach {
        let row = try db.row(sql, [folder])
        return FolderReach(depth: row?[0] ?? 0, bytes: row?[1] ?? 0)
    }
}
