/// Changes to folders and files of a user, see `FileLibrary`. A name that is empty, `.`, `..`, too long (255 bytes of
/// UTF-8) or holds `/`, NUL or controls is `invalid`. So is a place that is too deep for a folder (`FolderReach`).
package protocol FileWriting: Sendable {
    /// Throws `alreadyExists` when the name is taken.
    func addFolder(_ name: String, in place: LibraryPlace, of user: User.ID) async throws -> FolderEntry
    /// Makes the bytes durable, then writes the row; the upload is used up in any case. `alreadyExists` where a folder
    /// stands.
    func addFile(_ upload: StagedUpload, at target: FileTarget, of user: User.ID) async throws -> FileEntry
    /// Moves and renames at once; within one user, also from fund to fund. A folder cannot go into itself (`invalid`).
    func move(
        _ item: LibraryItemID, to target: ItemTarget, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem
    /// Copies a file, or a folder with all that is in it unless `isShallow`. The condition is about what is copied.
    func copy(
        _ item: LibraryItemID, to target: ItemTarget, isShallow: Bool, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem
    /// Moves an item to the trash, a folder with all that is in it; all of it can be restored for a time. The files,
    /// folders, notes and mail of a fund go out of sight with it, mail for it is misrouted from now on, and its name is
    /// free.
    func delete(_ item: LibraryItemID, if condition: ItemCondition?, of user: User.ID) async throws
    /// Sets the time at which the owner's program changed the file.
    func setModifiedAt(_ time: Timestamp, of file: FileEntry.ID, of user: User.ID) async throws
}
