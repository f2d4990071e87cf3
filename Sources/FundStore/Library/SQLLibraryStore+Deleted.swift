package import FundCore

/// Deleted things one by one, as far as the trash lists them.
extension SQLLibraryStore {
    private static let operation = "look at what is deleted"

    package func deletedFile(_ id: FileEntry.ID, of user: User.ID) async throws -> FileEntry {
        try await viewing(Self.operation, of: user) { view in
            try view.checkListedInTrash(.file(id))
            return try view.one(view.files(.deleted, where: "file.id = ?2", [id]))
        }
    }

    package func deletedEmail(_ id: EmailSummary.ID, of user: User.ID) async throws -> EmailEntry {
        try await viewing(Self.operation, of: user) { view in
            try view.checkListedInTrash(.email(id))
            return try view.emailEntry(id, .deleted)
        }
    }

    package func deletedNote(_ id: NoteEntry.ID, of user: User.ID) async throws -> NoteEntry {
        try await viewing(Self.operation, of: user) { view in
            try view.checkListedInTrash(.note(id))
            return try view.note(id, .deleted)
        }
    }
}

extension LibraryView {
    /// Throws `notFound` for what was deleted with what holds it, and for what can be restored no more.
    fileprivate func checkListedInTrash(_ item: LibraryItemID) throws {
        let isListed = try fetch(
            """
            SELECT 1 FROM deletion WHERE owner_id = ?1 AND kind = ?2 AND item_id = ?3
                AND root_kind = kind AND root_id = item_id AND \(Deletion.isRestorable)
            """, item.arguments)
        guard !isListed.isEmpty else { throw missing() }
    }
}
