/// The part of the store that keeps the letters which people write. Everything is seen through a user: another's letter
/// is `notFound`. A letter goes out through the outbox, with one row for each recipient. Errors are `StoreError`; those
/// that a person can mend carry an `InputProblem.Kind`.
package protocol LetterStore: Sendable {
    /// The items as they would go along with a letter, in their order: what each is called, and its size. Throws
    /// `notFound` for an item that is not there, `invalid` for a fund and for more than `LetterPolicy.maxAttachments`,
    /// and `quarantined` or `unscanned` for one that is kept from people.
    func letterItems(_ items: [LibraryItemID], of user: User.ID) async throws -> [LetterItem]
    /// Queues a letter, in one transaction with all that it sends: what goes out later is what is there now.
    ///
    /// - Parameters:
    ///   - contents: the files that were made of folders, notes and mail, by item; the bytes of files are in the store.
    ///     None for items that go as a link.
    /// - Returns: the letter, and whether it is new: one with this key may be there already.
    /// - Throws: what `letterItems` throws, asked again, and `invalid` with the problem of the letter: no recipient,
    ///   too many, our own mailbox, too large, too many letters today, a subject or a text that is too long.
    func addLetter(
        _ letter: NewLetter, with contents: [LibraryItemID: LetterContent], _ policy: LetterPolicy, of user: User.ID
    ) async throws -> (letter: PersonalLetter, isNew: Bool)
    /// The letter that was sent with a key; nil for none.
    func letter(withKey key: String, of user: User.ID) async throws -> PersonalLetter?
    /// Number of letters of a user of which a recipient has to be looked at, see `LetterSummary.isTroubled`.
    func countTroubledLetters(of user: User.ID) async throws -> Int
    /// The letters of a user that the filter admits, the latest first.
    func letters(
        _ filter: LetterFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<LetterSummary>
    /// One letter with its text.
    func letter(_ id: PersonalLetter.ID, of user: User.ID) async throws -> PersonalLetter
    /// Opens a file of a letter, which the caller has from `letter`. Throws `quarantined` and `unscanned`. Blocks.
    func content(of attachment: LetterAttachment) throws -> any StoredContent
    /// Sends a letter again to one recipient, or sooner. Throws `conflict` for one that is being sent or was sent and
    /// did not come back.
    ///
    /// - Parameters:
    ///   - recipient: its number in the letter.
    ///   - mayArriveTwice: also to one where it may have arrived, which throws `conflict` without.
    func sendLetterAgain(
        _ id: PersonalLetter.ID, to recipient: Int, mayArriveTwice: Bool, of user: User.ID
    ) async throws -> PersonalLetter
    /// Gives a letter to one recipient up that was not sent. Throws `conflict` for one that is being sent, was sent or
    /// was given up before.
    func giveLetterUp(_ id: PersonalLetter.ID, to recipient: Int, of user: User.ID) async throws -> PersonalLetter
    /// Removes a letter and what it alone keeps. Throws `conflict` while it waits or is being sent.
    func removeLetter(_ id: PersonalLetter.ID, of user: User.ID) async throws
}

/// A file of a letter that was made for it: the zip file of a folder, the text of a note, a mail as it came.
package struct LetterContent: Sendable {
    package var name: String
    package var upload: StagedUpload
    /// The contents that it holds: malware that is found in one of them is in it, too.
    package var sources: [ContentDigest]

    package init(name: String, upload: StagedUpload, sources: [ContentDigest] = []) {
        (self.name, self.upload, self.sources) = (name, upload, sources)
    }
}
