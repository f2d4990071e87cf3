/// Deleted items of a user, see `FileLibrary`.
package protocol Trash: Sendable {
    /// Restores an item under its name, or a numbered one when that is taken; to the top of its fund when its folder is
    /// gone or lies too deep now. Emails and notes have calls of their own (`invalid` here).
    /// - Parameter time: an item that was deleted or archived later stays (`preconditionFailed`): who undoes a deletion
    ///   does not undo another one that followed. Nil restores it in any case.
    func restore(
        _ item: LibraryItemID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> LibraryItem
    /// Items that can be restored: funds, and folders and files that were not deleted with what holds them. A page may
    /// be short although more come: see its cursor.
    func deletedItems(of user: User.ID, by order: TrashOrder, _ page: PageQuery) async throws -> ListPage<LibraryItem>
    /// The deleted files that went to the trash because the filing of their mail was undone, with the name of who undid
    /// it. Other files are not in the answer.
    func takenBack(_ files: [FileEntry.ID], of user: User.ID) async throws -> [FileEntry.ID: String]
    /// Deleted funds, folders and files that can be restored, without archived funds; the latest first.
    func trash(of user: User.ID, _ page: PageQuery) async throws -> ListPage<TrashEntry>
    /// A file that the trash lists. `notFound` also for one that was deleted with its folder or fund.
    func deletedFile(_ id: FileEntry.ID, of user: User.ID) async throws -> FileEntry
    /// Archived funds, the latest first.
    func archivedFunds(of user: User.ID, _ page: PageQuery) async throws -> ListPage<ArchivedFund>
    /// Counts of what `emptyTrash` removes by now, by what was deleted: what went with a folder or fund counts as that.
    func trashQuestion(of user: User.ID) async throws -> TrashQuestion
    /// Purges what the user has deleted, emails and notes too. Raw messages stay, and so does what was deleted from a
    /// fund that is archived now: no list shows it until the fund is restored.
    /// - Parameter shown: what the user was asked about; what was deleted later stays. Nil for all of it.
    /// - Returns: the number of items.
    /// - Throws: `conflict`, with nothing purged, when not all that was shown is in the trash as it was.
    func emptyTrash(of user: User.ID, asShown shown: TrashQuestion?) async throws -> Int
    /// Purges one deleted item, with what was deleted with it, and a fund with all that is in it.
    func purge(_ item: LibraryItemID, of user: User.ID) async throws
}

extension Trash {
    /// Restores an item, whenever it was deleted.
    package func restore(_ item: LibraryItemID, of user: User.ID) async throws -> LibraryItem {
        try await restore(item, unlessDeletedAfter: nil, of: user)
    }

    /// Purges all of it.
    package func emptyTrash(of user: User.ID) async throws -> Int { try await emptyTrash(of: user, asShown: nil) }
}
