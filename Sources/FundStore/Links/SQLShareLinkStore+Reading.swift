package import FundCore

/// Share links as those who opened them look behind them.
extension SQLShareLinkStore {
    private func looking<Value: Sendable>(
        behind link: ShareLink.ID, at now: Timestamp, _ body: @escaping @Sendable (ShareLinkView) throws -> Value
    ) async throws -> Value {
        try await connection.reading("look behind a link") { [quarantine] db in
            try body(try ShareLinkView(link, at: now, db, quarantine))
        }
    }

    package func openedLink(_ id: ShareLink.ID, at now: Timestamp) async throws -> OpenedLink {
        try await looking(behind: id, at: now) { view in
            guard try view.hasItems() else { throw ShareLinkView.missing }
            return OpenedLink(link: view.link, owner: view.owner)
        }
    }

    package func sharedItems(of link: ShareLink.ID, at now: Timestamp) async throws -> [SharedItem] {
        try await looking(behind: link, at: now) { view in
            guard view.link.purpose != .upload else { throw ShareLinkView.missing }
            return try view.items()
        }
    }

    package func sharedFolder(
        _ id: FolderEntry.ID, of link: ShareLink.ID, _ page: PageQuery, at now: Timestamp
    ) async throws -> SharedFolder {
        try await looking(behind: link, at: now) { try $0.folder(id, page) }
    }

    package func sharedFile(
        _ id: FileEntry.ID, of link: ShareLink.ID, at now: Timestamp
    ) async throws -> FileEntry {
        try await looking(behind: link, at: now) { try $0.file(id) }
    }

    package func sharedNote(
        _ id: NoteEntry.ID, of link: ShareLink.ID, at now: Timestamp
    ) async throws -> NoteEntry {
        try await looking(behind: link, at: now) { try $0.note(id) }
    }

    package func sharedEmail(
        _ id: EmailSummary.ID, of link: ShareLink.ID, at now: Timestamp
    ) async throws -> EmailEntry {
        try await looking(behind: link, at: now) { try $0.email(id) }
    }

    package func sharedAttachment(
        _ id: AttachmentEntry.ID, of link: ShareLink.ID, at now: Timestamp
    ) async throws -> AttachmentEntry {
        try await looking(behind: link, at: now) { try $0.attachment(id) }
    }
}
