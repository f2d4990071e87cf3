/// The part of the store that shows a user's funds as folders and files. Everything is seen through a user: what
/// belongs to another answers `notFound`, as if it did not exist. What is deleted or in a deleted fund is found only by
/// `deletedItems` and `restore`. Names are data and are compared as FileName does (NFC, without regard to case); they
/// never become paths. Errors are `StoreError`.
package protocol FileLibrary: ResumableUploads {
    // Funds.
    func funds(of user: User.ID) async throws -> [FundEntry]
    /// By name. `invalid` for a cursor that is none, as for every list.
    func funds(of user: User.ID, _ page: PageQuery) async throws -> Page<FundEntry>
    /// One that is not deleted.
    func fund(_ id: Fund.ID, of user: User.ID) async throws -> FundEntry
    /// `funds` with how much is in each and what is new.
    func fundSummaries(of user: User.ID, _ page: PageQuery) async throws -> Page<FundSummary>
    /// The same of one that is not deleted.
    func fundSummary(_ id: Fund.ID, of user: User.ID) async throws -> FundSummary
    /// Notes that the user has seen what is in the fund. What comes later is new; with `email`, the latest that was
    /// shown, emails after that one are. Never makes new again what was seen.
    func noteVisit(to fund: Fund.ID, upTo email: EmailSummary.ID?, of user: User.ID) async throws
    /// `alreadyExists` when a fund or alias of the user reads like it.
    func addFund(_ name: String, of user: User.ID) async throws -> FundEntry
    /// What is nil stays as it is; `aliases` are all that the fund has from now on. All or nothing.
    func changeFund(
        _ id: Fund.ID, name: String?, aliases: [String]?, if condition: ItemCondition?, of user: User.ID
    ) async throws -> FundEntry
    /// Closes a fund: it goes out of sight as a deleted one does, mail for it is misrouted from now on, and its name is
    /// free. It is never purged, and comes back by `restore`.
    func archiveFund(_ id: Fund.ID, if condition: ItemCondition?, of user: User.ID) async throws
    /// A new fund with folders, files and properties of another, or only its properties; no mail or notes. All or none.
    func copyFund(_ id: Fund.ID, to name: String, isShallow: Bool, of user: User.ID) async throws -> FundEntry

    // Looking.
    /// Fund, folders and file along a path, as far as they are there: fewer than `path` names when one is not.
    func items(along path: [String], of user: User.ID) async throws -> [LibraryItem]
    /// The file or folder that has a name in a place, if there is one.
    func item(named name: String, in place: LibraryPlace, of user: User.ID) async throws -> LibraryItem?
    /// Folders first, each by name. Thousands are usual.
    func children(of place: LibraryPlace, of user: User.ID) async throws -> [LibraryItem]
    func children(
        of place: LibraryPlace, by order: ItemOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> Page<LibraryItem>
    /// Folders and files.
    func countChildren(of place: LibraryPlace, of user: User.ID) async throws -> Int
    /// The files before and behind one in its place; folders are passed over.
    func neighbours(
        of file: FileEntry.ID, by order: ItemOrder, of user: User.ID
    ) async throws -> Neighbours<FileEntry>
    /// Of one that is not deleted.
    func provenance(of file: FileEntry.ID, of user: User.ID) async throws -> FileProvenance
    /// What a zip file holds, in one view of the store: folders before what is in them, each once. `notFound` for an
    /// item that is not in the fund, `invalid` for a fund or note and above `maxItems`.
    func zipItems(
        _ selection: ZipSelection, atMost maxItems: Int, of user: User.ID
    ) async throws -> [ZipItem]
    /// One that is not deleted.
    func folder(_ id: FolderEntry.ID, of user: User.ID) async throws -> FolderEntry
    /// One that is not deleted.
    func file(_ id: FileEntry.ID, of user: User.ID) async throws -> FileEntry

    /// Those that are not deleted and have one of these contents.
    func files(with contents: Set<ContentDigest>, of user: User.ID) async throws -> [FileEntry]

    // Changing. A name that is empty, `.`, `..`, too long (255 bytes of UTF-8) or holds `/`, NUL or controls is
    // `invalid`. So is a place that is too deep for a folder (`FolderReach`).
    /// `alreadyExists` when the name is taken.
    func addFolder(_ name: String, in place: LibraryPlace, of user: User.ID) async throws -> FolderEntry
    /// Bytes durable first, then the row; the upload is used up in any case. `alreadyExists` where a folder stands.
    func addFile(_ upload: StagedUpload, at target: FileTarget, of user: User.ID) async throws -> FileEntry
    /// Moves and renames at once; within one user, also from fund to fund. A folder cannot go into itself (`invalid`).
    func move(
        _ item: LibraryItemID, to target: ItemTarget, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem
    /// A folder with all that is in it, unless `isShallow`. The condition is about what is copied.
    func copy(
        _ item: LibraryItemID, to target: ItemTarget, isShallow: Bool, if condition: ItemCondition?, of user: User.ID
    ) async throws -> LibraryItem
    /// A folder goes with all that is in it; all of it can be restored for a time. The files, folders, notes and mail
    /// of a fund go out of sight with it, mail for it is misrouted from now on, and its name is free.
    func delete(_ item: LibraryItemID, if condition: ItemCondition?, of user: User.ID) async throws
    /// When its owner's program says that the file was changed.
    func setModifiedAt(_ time: Timestamp, of file: FileEntry.ID, of user: User.ID) async throws
    /// Under its name, or a numbered one when that is taken; to the top of its fund when its folder is gone or lies too
    /// deep now. Emails and notes have calls of their own (`invalid` here).
    func restore(_ item: LibraryItemID, of user: User.ID) async throws -> LibraryItem
    /// What can be restored: funds, and folders and files that were not deleted with what holds them. A page may be
    /// short although more come: see its cursor.
    func deletedItems(of user: User.ID, by order: TrashOrder, _ page: PageQuery) async throws -> Page<LibraryItem>
    /// Takes away for good all that the user has deleted, emails and notes too, and gives how many. Raw messages stay.
    func emptyTrash(of user: User.ID) async throws -> Int
    /// The same for one deleted item, with what was deleted with it, and for a fund with all that is in it.
    func deleteForGood(_ item: LibraryItemID, of user: User.ID) async throws
    /// Marks a favourite of its owner, or takes the mark away. The mark stays with what is deleted, and is there again
    /// when that is restored.
    func setFavourite(_ isFavourite: Bool, _ item: LibraryItemID, of user: User.ID) async throws
    /// Funds, files, emails and notes that are marked and there: by kind, and in each kind what is newest first.
    func favourites(of user: User.ID, _ page: PageQuery) async throws -> Page<FavouriteEntry>

    // Bytes.
    /// A place for the bytes of an upload, on the store's file system. Throws `outOfSpace` when the announced bytes, if
    /// known, do not fit beside the uploads under way; its `append` does when more come. Both block.
    func makeUpload(named name: String, announcing bytes: Int64?) throws -> any UploadWriter
    /// The bytes of a file, an attachment or a raw message. Throws `corrupted` when they are missing or have another
    /// size. Blocks.
    func content(of digest: ContentDigest, size: Int64) throws -> any StoredContent
    /// What `keepChecksums` kept; the caller has seen the files.
    func checksums(of digests: [ContentDigest]) async throws -> [ContentDigest: ContentChecksums]
    /// For good: bytes never change.
    func keepChecksums(_ checksums: [ContentDigest: ContentChecksums]) async throws

    // Properties that clients keep with an item (RFC 4918 §4.2, dead properties): XML, by `{namespace}name`.
    func properties(of item: LibraryItemID, of user: User.ID) async throws -> [String: String]
    /// The folders and files that lie directly in `place` and have properties.
    func itemsWithProperties(in place: LibraryPlace, of user: User.ID) async throws -> Set<LibraryItemID>
    /// Those of several funds, folders and files: 64 KiB for each at the most, so callers ask for some at a time. Only
    /// items that are there and have properties are in it.
    func properties(of items: [LibraryItemID], of user: User.ID) async throws -> [LibraryItemID: [String: String]]
    /// Nil removes one. They move, copy and go with the item. `modifiedAt`, as for `setModifiedAt`, is set in the same
    /// transaction; nil leaves it, and only a file has one (`invalid`).
    func setProperties(
        _ changes: [String: String?], modifiedAt: Timestamp?, of item: LibraryItemID, if condition: ItemCondition?,
        of user: User.ID
    ) async throws

    // Room.
    /// What a user's files take, and what is left for all users.
    func storageUse(of user: User.ID) async throws -> StorageUse
}

/// The room of a user's files (RFC 4331 §2), in bytes.
package struct StorageUse: Sendable, Hashable {
    /// Of the contents of all files, each content once, deleted files that can be restored among them.
    package var used: Int64
    /// What can still be stored, by all users together.
    package var available: Int64

    package init(used: Int64, available: Int64) {
        self.used = used
        self.available = available
    }
}

/// Takes the bytes of an upload and hashes them. Goes away without a trace unless it is finished and added.
package protocol UploadWriter: AnyObject, Sendable {
    /// Blocks.
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// No more comes.
    func finish(contentType: String) throws -> StagedUpload
}

/// Bytes that are on disk and in no row yet.
package struct StagedUpload: Sendable {
    package var digest: ContentDigest
    package var size: Int64
    package var contentType: String
    /// Gives the bytes up when the last user of the upload is gone.
    package var owner: any UploadWriter

    package init(digest: ContentDigest, size: Int64, contentType: String, owner: any UploadWriter) {
        self.digest = digest
        self.size = size
        self.contentType = contentType
        self.owner = owner
    }
}
