/// The part of the store that shows a user's filed mail and notes. As in `FileLibrary`, what belongs to another answers
/// `notFound`. Errors are `StoreError`.
package protocol MailLibrary: Sendable {
    /// Newest first unless asked otherwise. With text a page may be short although more come: see its cursor, `invalid`
    /// if wrong.
    func emails(_ query: EmailQuery, of user: User.ID) async throws -> ListPage<EmailSummary>
    /// The emails before and behind one in the list of a query; its limit and cursor do not matter. `invalid` for a
    /// query with text, whose order is that of the search.
    func neighbours(
        of email: EmailSummary.ID, in query: EmailQuery, of user: User.ID
    ) async throws -> Neighbours<EmailSummary>
    /// Addresses from which mail came into a fund lately, the latest first, each once.
    func senders(in fund: Fund.ID, atMost count: Int, of user: User.ID) async throws -> [String]
    /// Number of emails of a fund that are not deleted.
    func countEmails(in fund: Fund.ID, of user: User.ID) async throws -> Int
    /// With body and attachments.
    func email(_ id: EmailSummary.ID, of user: User.ID) async throws -> EmailEntry
    /// The message as it came. `notFound` also when it is no longer kept (`retention: raw`).
    func rawMessage(of email: EmailSummary.ID, of user: User.ID) async throws -> RawMessageEntry
    /// An attachment of an email, without its bytes.
    func attachment(_ id: AttachmentEntry.ID, of user: User.ID) async throws -> AttachmentEntry
    /// The mail that the user sent with its outcome, latest first. Only mail whose sender routing verified to be the
    /// user: mail that claims to be from them and was not confirmed is in it only if it was filed into a fund of
    /// theirs. Funds of others into which it was filed are not named.
    func received(of user: User.ID, _ page: PageQuery) async throws -> ListPage<ReceivedMail>
    /// One mail of that list which was not filed at once, and its number at the desk. Throws `notFound` for others.
    func receivedMail(
        _ id: ReceivedMail.ID, of user: User.ID
    ) async throws -> (mail: ReceivedMail, message: MisrouteRecord.ID)
    /// Mail of that list that was not filed at once, as the desk has it. Others are not in the answer.
    func keptRecords(of mail: [ReceivedMail.ID], of user: User.ID) async throws -> [ReceivedMail.ID: MisrouteRecord]
    /// Moves an email into another fund of the same user, with the files that came with it and are still where they
    /// were put.
    func moveEmail(
        _ id: EmailSummary.ID, to fund: Fund.ID, if condition: ItemCondition?, of user: User.ID
    ) async throws -> EmailSummary
    /// Moves an email to the trash. The files that came with it stay.
    func deleteEmail(_ id: EmailSummary.ID, if condition: ItemCondition?, of user: User.ID) async throws
    /// Restores an email into its fund; `preconditionFailed` as for `Trash.restore`.
    func restoreEmail(
        _ id: EmailSummary.ID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> EmailSummary

    /// Notes changed at `since` or later, the deleted included; with nil all that are there. Oldest change first, so
    /// one that changes while the pages are read comes again.
    func notes(in fund: Fund.ID, since: Timestamp?, _ page: PageQuery, of user: User.ID) async throws -> NotePage
    /// Notes that are not deleted, in the order that a reader wants.
    func notes(
        in fund: Fund.ID, by order: NoteOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<NoteEntry>
    /// Number of notes of a fund that are not deleted.
    func countNotes(in fund: Fund.ID, of user: User.ID) async throws -> Int
    /// With its whole text.
    func note(_ id: NoteEntry.ID, of user: User.ID) async throws -> NoteEntry
    /// `notFound` also when there is no such fund; `invalid` for a title of more than `NoteText.maxTitleBytes`.
    func addNote(_ text: NoteText, in fund: Fund.ID, of user: User.ID) async throws -> NoteEntry
    /// `conflict` when `unlessChangedSince`, if any, is not its `modifiedAt`: each change makes that greater. `invalid`
    /// as for `addNote`, unless the title is the former one.
    func changeNote(
        _ id: NoteEntry.ID, _ change: NoteChange, if condition: ItemCondition?, of user: User.ID
    ) async throws -> NoteEntry
    /// Recoverable; `conflict` as for `changeNote`.
    func deleteNote(
        _ id: NoteEntry.ID, unlessChangedSince: Timestamp?, if condition: ItemCondition?, of user: User.ID
    ) async throws
    /// Restores a note into its fund; `preconditionFailed` as for `Trash.restore`.
    func restoreNote(
        _ id: NoteEntry.ID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> NoteEntry
    /// Emails and notes that can be restored, of funds that are there; what was deleted last comes first.
    func deletedTexts(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DeletedText>
    /// An email of that list, with body and attachments.
    func deletedEmail(_ id: EmailSummary.ID, of user: User.ID) async throws -> EmailEntry
    /// A note of that list, with its whole text.
    func deletedNote(_ id: NoteEntry.ID, of user: User.ID) async throws -> NoteEntry

    /// Everything that changed after `cursor`, each item once with its latest change, in that order; nil is from the
    /// beginning. What is in a fund goes with it when it is deleted, without a change of its own, and comes again when
    /// it is restored. `outdated` for a cursor that is very old, or of the time before a backup was restored.
    ///
    /// With items each that is there comes along as it is now. Their texts bound such a page, which then has fewer than
    /// `limit` although more come.
    func changes(
        of user: User.ID, after cursor: ChangeCursor?, limit: Int, withItems: Bool
    ) async throws -> ChangePage

    /// The end of the feed: what changes after it comes behind this cursor.
    func latestChange(of user: User.ID) async throws -> ChangeCursor
    /// Raised after each commit of anything in the store: of this process before the call returns that committed, of
    /// another at once after it. It may be raised without a commit.
    var commits: Signal { get }
    /// The numbers of the latest changes of all libraries.
    func latestChanges() async throws -> LatestChanges
    /// Another number after every change of anything in the store: at once after one of this process, within 50 ms
    /// after one of another.
    func dataVersion() throws -> Int64
    /// Files, folders, emails and notes in whose name, subject, sender, body or title all words occur, the last one at
    /// the beginning of a word; what changed latest first. A page may be short although more come: see its cursor.
    func search(_ query: SearchQuery, of user: User.ID) async throws -> ListPage<SearchHit>
    /// The hits before and behind an item, without excerpts; for an item that is no hit those between which it would
    /// stand. Nil also where filters let none of the nearest thousands through.
    func neighbours(
        of item: LibraryItemID, in query: SearchQuery, of user: User.ID
    ) async throws -> Neighbours<SearchHit>
}

extension MailLibrary {
    /// Restores an email, whenever it was deleted.
    package func restoreEmail(_ id: EmailSummary.ID, of user: User.ID) async throws -> EmailSummary {
        try await restoreEmail(id, unlessDeletedAfter: nil, of: user)
    }

    /// Restores a note, whenever it was deleted.
    package func restoreNote(_ id: NoteEntry.ID, of user: User.ID) async throws -> NoteEntry {
        try await restoreNote(id, unlessDeletedAfter: nil, of: user)
    }

    /// Without the items.
    package func changes(of user: User.ID, after cursor: ChangeCursor?, limit: Int) async throws -> ChangePage {
        try await changes(of: user, after: cursor, limit: limit, withItems: false)
    }
}
