/// The part of the store that keeps share links, what they show, and what became of them. Errors are `StoreError`.
package protocol ShareLinkStore: ShareLinkReading {
    // MARK: Owners

    /// Makes a link. Throws `notFound` unless all its things are there and the user's, and `invalid` for what
    /// `NewShareLink.problem` names and for things of several funds.
    func addLink(_ link: NewShareLink, of user: User.ID, at now: Timestamp) async throws -> ShareLink
    /// Links of a user, or of all users, the latest first, with their owners.
    func links(of user: User.ID?, _ page: PageQuery) async throws -> ListPage<OpenedLink>
    /// Links of a user that were neither ended nor have expired, and that name one of these items.
    func links(naming items: [LibraryItemID], of user: User.ID, at now: Timestamp) async throws -> [ShareLink]
    /// Number of links of all users that were neither ended nor have expired.
    func countLive(at now: Timestamp) async throws -> Int
    /// Throws `notFound` for the link of another user.
    func link(_ id: ShareLink.ID, of user: User.ID) async throws -> ShareLink
    /// The uses of a link, the latest first. Throws `notFound` for the link of another user.
    func uses(of link: ShareLink.ID, of user: User.ID, _ page: PageQuery) async throws -> ListPage<ShareLinkUse>
    /// The names of those among these items that are there: of emails the subject, of notes the title.
    func names(of items: Set<LibraryItemID>, of user: User.ID) async throws -> [LibraryItemID: String]
    /// The names of the things that each of these links shows: of those that are there, in the fund of the link.
    func names(of links: [ShareLink], of user: User.ID) async throws -> [ShareLink.ID: [LibraryItemID: String]]
    /// Ends a link of a user, or of any user where `user` is nil. False for one that was ended before. Throws
    /// `notFound`, and `conflict` when `actor` ends the link of another and is no administrator.
    @discardableResult
    func revokeLink(_ id: ShareLink.ID, of user: User.ID?, actor: String) async throws -> Bool

    // MARK: People outside

    /// The link of a token while it can be opened: it is live, its owner is enabled, and one of its things is there.
    /// Nil otherwise. Also the hash of its password; nil where it has none.
    func openableLink(
        _ digest: ContentDigest, at now: Timestamp
    ) async throws -> (opened: OpenedLink, passwordHash: String?)?
    /// Counts an opening, and writes it into the audit trail: of openings by one visitor within an hour the first. Nil
    /// when the link cannot be opened any more, or has another password than `passwordHash` by now.
    func open(
        _ link: ShareLink.ID, passwordHash: String?, by visitor: ShareVisitor, at now: Timestamp
    ) async throws -> OpenedLink?
    /// Makes the bytes durable, then writes the row, in one transaction with noting who put it. Throws `notFound` when
    /// the link is no live upload link of this content's place any more, and `tooMany` when its allowance does not
    /// suffice. A name that is taken gets a number.
    func addFile(
        _ upload: StagedUpload, named name: String, through link: ShareLink.ID, by visitor: ShareVisitor,
        at now: Timestamp
    ) async throws -> FileEntry
}

/// The part of the store that shows people outside what a link gives that they have opened. A link that has ended,
/// whose owner is disabled or whose things are gone, or moved to another fund, answers `notFound`, and so does
/// everything that is not among its things or in a folder of them. What is kept from people is left out.
package protocol ShareLinkReading: Sendable {
    /// The link, if it goes on for those who opened it: also one that no other person can open, since it is used up.
    func openedLink(_ id: ShareLink.ID, at now: Timestamp) async throws -> OpenedLink
    /// The things of a link.
    func sharedItems(of link: ShareLink.ID, at now: Timestamp) async throws -> [SharedItem]
    /// One page of a folder, with those above it.
    func sharedFolder(
        _ id: FolderEntry.ID, of link: ShareLink.ID, _ page: PageQuery, at now: Timestamp
    ) async throws -> SharedFolder
    /// A file that is a thing of the link, or lies in a folder of it.
    func sharedFile(_ id: FileEntry.ID, of link: ShareLink.ID, at now: Timestamp) async throws -> FileEntry
    /// A note that is a thing of the link.
    func sharedNote(_ id: NoteEntry.ID, of link: ShareLink.ID, at now: Timestamp) async throws -> NoteEntry
    /// An email that is a thing of the link, without the attachments that are kept from people.
    func sharedEmail(_ id: EmailSummary.ID, of link: ShareLink.ID, at now: Timestamp) async throws -> EmailEntry
    /// An attachment of such an email.
    func sharedAttachment(_ id: AttachmentEntry.ID, of link: ShareLink.ID, at now: Timestamp) async throws
        -> AttachmentEntry
}
