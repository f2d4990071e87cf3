package import FundCore

/// Changes without a condition, and other short ways for tests.
extension Trash {
    /// The first page.
    package func deletedItems(of user: User.ID) async throws -> [LibraryItem] {
        try await deletedItems(of: user, PageQuery()).items
    }

    /// Deleted items, the latest deletion first.
    package func deletedItems(of user: User.ID, _ page: PageQuery) async throws -> ListPage<LibraryItem> {
        try await deletedItems(of: user, by: TrashOrder(), page)
    }
}

extension FileReading {
    /// Fund, folders, file by their names; nil when one of them is not there.
    package func item(at path: [String], of user: User.ID) async throws -> LibraryItem? {
        let items = try await items(along: path, of: user)
        return items.count == path.count ? items.last : nil
    }
}

extension FileWriting {
    package func move(
        _ item: LibraryItemID, to place: LibraryPlace, named name: String?, ifTaken: NameConflict, of user: User.ID
    ) async throws -> LibraryItem {
        try await move(item, to: ItemTarget(.place(place), name: name, ifTaken: ifTaken), if: nil, of: user)
    }

    package func copy(
        _ item: LibraryItemID, to place: LibraryPlace, named name: String?, ifTaken: NameConflict, isShallow: Bool,
        of user: User.ID
    ) async throws -> LibraryItem {
        try await copy(
            item, to: ItemTarget(.place(place), name: name, ifTaken: ifTaken), isShallow: isShallow, if: nil, of: user)
    }

    package func deleteFund(_ id: Fund.ID, of user: User.ID) async throws {
        try await delete(.fund(id), if: nil, of: user)
    }

    package func delete(_ item: LibraryItemID, of user: User.ID) async throws {
        try await delete(item, if: nil, of: user)
    }
}

extension FundLibrary {
    package func changeFund(
        _ id: Fund.ID, name: String?, aliases: [String]?, of user: User.ID
    ) async throws -> FundEntry {
        try await changeFund(id, name: name, aliases: aliases, if: nil, of: user)
    }

    package func renameFund(_ id: Fund.ID, to name: String, of user: User.ID) async throws -> FundEntry {
        try await changeFund(id, name: name, aliases: nil, if: nil, of: user)
    }
}

extension PropertyStore {
    package func setProperties(
        _ changes: [String: String?], modifiedAt: Timestamp? = nil, of item: LibraryItemID, of user: User.ID
    ) async throws {
        try await setProperties(changes, modifiedAt: modifiedAt, of: item, if: nil, of: user)
    }
}

extension MailLibrary {
    package func moveEmail(_ id: EmailSummary.ID, to fund: Fund.ID, of user: User.ID) async throws -> EmailSummary {
        try await moveEmail(id, to: fund, if: nil, of: user)
    }

    package func deleteEmail(_ id: EmailSummary.ID, of user: User.ID) async throws {
        try await deleteEmail(id, if: nil, of: user)
    }

    package func changeNote(
        _ id: NoteEntry.ID, to text: NoteText, unlessChangedSince: Timestamp?, of user: User.ID
    ) async throws -> NoteEntry {
        let change = NoteChange(title: text.title, content: text.content, unlessChangedSince: unlessChangedSince)
        return try await changeNote(id, change, if: nil, of: user)
    }

    package func deleteNote(_ id: NoteEntry.ID, unlessChangedSince: Timestamp?, of user: User.ID) async throws {
        try await deleteNote(id, unlessChangedSince: unlessChangedSince, if: nil, of: user)
    }
}
