/// Folders and files of a user, see `FileLibrary`.
package protocol FileReading: Sendable {
    /// Fund, folders and file along a path, as far as they are there: fewer than `path` names when one is not.
    func items(along path: [String], of user: User.ID) async throws -> [LibraryItem]
    /// The file or folder that has a name in a place, if there is one.
    func item(named name: String, in place: LibraryPlace, of user: User.ID) async throws -> LibraryItem?
    /// All folders and files of a place: folders first, each by name. Thousands are usual.
    func children(of place: LibraryPlace, of user: User.ID) async throws -> [LibraryItem]
    /// One page of the folders and files of a place.
    func children(
        of place: LibraryPlace, by order: ItemOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<LibraryItem>
    /// `children` with the email that brought each file, and its other versions. With a filter the files alone that
    /// fulfil it, one by one.
    func rows(
        of place: LibraryPlace, by order: ItemOrder, matching filter: FileFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<PlaceRow>
    /// Number of folders and files in a place.
    func countChildren(of place: LibraryPlace, of user: User.ID) async throws -> Int
    /// The files before and behind one in its place that fulfil the filter, whether or not the file itself does;
    /// folders are passed over.
    func neighbours(
        of file: FileEntry.ID, by order: ItemOrder, matching filter: FileFilter, of user: User.ID
    ) async throws -> Neighbours<FileEntry>
    /// The versions of a file, itself among them; nil for a file without others, see `FileVersions`.
    func versions(of file: FileEntry.ID, of user: User.ID) async throws -> FileVersions?
    /// The origin of a file that is not deleted.
    func provenance(of file: FileEntry.ID, of user: User.ID) async throws -> FileProvenance
    /// The entries of a zip file, in one view of the store: folders before what is in them, each once. `notFound` for
    /// an item that is not in the fund, `invalid` for a fund or note and above `maxItems`.
    func zipItems(
        _ selection: ZipSelection, atMost maxItems: Int, of user: User.ID
    ) async throws -> [ZipItem]
    /// One that is not deleted.
    func folder(_ id: FolderEntry.ID, of user: User.ID) async throws -> FolderEntry
    /// One that is not deleted.
    func file(_ id: FileEntry.ID, of user: User.ID) async throws -> FileEntry
    /// Files that are not deleted and have one of these contents.
    func files(with contents: Set<ContentDigest>, of user: User.ID) async throws -> [FileEntry]
    /// The room that a user's files take, and what is left for all users.
    func storageUse(of user: User.ID) async throws -> StorageUse
}
