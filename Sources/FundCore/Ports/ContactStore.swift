/// Users' own lists of contacts, and the addresses that they know from mail. Each call sees what is one user's. Errors
/// are `StoreError`; `notFound` for another user's contact, too.
package protocol ContactStore: Sendable {
    // MARK: The list

    /// By name.
    func contacts(_ filter: ContactFilter, of user: User.ID, _ page: PageQuery) async throws -> ListPage<Contact>
    /// One contact that is there.
    func contact(_ id: Contact.ID, of user: User.ID) async throws -> Contact
    /// The contacts among these that are there.
    func contacts(_ ids: [Contact.ID], of user: User.ID) async throws -> [Contact]
    /// All contacts, by name, at one moment.
    func allContacts(of user: User.ID) async throws -> [Contact]
    /// Number of contacts that are there.
    func countContacts(of user: User.ID) async throws -> Int
    /// Groups that have contacts, by name.
    func contactGroups(of user: User.ID) async throws -> [ContactGroup]
    /// Throws `invalid` with a problem for a card that cannot be kept.
    func addContact(_ card: ContactCard, of user: User.ID) async throws -> Contact
    /// - Parameter revision: throws `conflict` when it is not the contact's any more; nil changes it in any case.
    func changeContact(
        _ id: Contact.ID, _ card: ContactCard, ifRevision revision: Int64?, of user: User.ID
    ) async throws -> Contact
    /// Deletes contacts, so that they can be restored for as long as files. Those that are not there are left out.
    /// Returns those that were deleted.
    @discardableResult
    func deleteContacts(_ ids: [Contact.ID], of user: User.ID) async throws -> [Contact.ID]
    /// Restores deleted contacts. Throws `notFound` when none of them can be restored.
    /// - Parameter time: leaves out what was deleted later; nil restores in any case.
    @discardableResult
    func restoreContacts(
        _ ids: [Contact.ID], unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> [Contact.ID]

    // MARK: Imports

    /// Adds contacts of a file, or merges them with those that are there, see `ContactMerger`.
    /// - Parameter isRehearsal: changes nothing.
    /// - Returns: an outcome for each, in their order.
    func importContacts(
        _ contacts: [ImportedContact], isRehearsal: Bool, of user: User.ID
    ) async throws -> [ContactMerger.Outcome]
    /// Keeps a file that a user wants to import until they have seen what would become of it, for a day. It takes the
    /// place of the one before; nil discards that.
    func stageImport(_ file: StagedContacts?, of user: User.ID) async throws
    /// The file that waits; nil when there is none.
    func stagedImport(of user: User.ID) async throws -> StagedContacts?

    // MARK: Addresses known from mail

    /// People of a user's mail who are none of their contacts, those that occur most first.
    func knownAddresses(of user: User.ID, _ page: PageQuery) async throws -> ListPage<KnownAddress>

    // MARK: For copies of the list

    /// The version of a user's list of contacts: another one after each change of it. Takes microseconds.
    func contactRevision(of user: User.ID) async throws -> ContactRevision
    /// All contacts of a user and the addresses known from their mail, at one moment.
    func knownPeople(of user: User.ID) async throws -> KnownPeople
    /// Changes of a user's list since a revision. Nil for one of which is not known any more what was deleted since, or
    /// that is of another history of the store.
    func contactChanges(
        since revision: ContactRevision, of user: User.ID, limit: Int
    ) async throws -> ContactChanges?
}
