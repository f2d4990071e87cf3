package import FundCore
internal import Synchronization

/// What a user's attachments and files refer to. Look-ups are kept as long as the store's `dataVersion` stays the same:
/// a list that is shown again asks for the same pictures again. The owner is part of the key, and every change of the
/// store empties the table.
package final class ContentDirectory: Sendable {
    private enum Item: Hashable {
        case file(FileEntry.ID)
        case attachment(AttachmentEntry.ID)
    }

    private struct Key: Hashable {
        var user: User.ID
        var item: Item
    }

    private struct State {
        var version: Int64 = .min
        /// About 20 MB.
        var entries = BoundedTable<Key, ServedContent>(maxEntries: 50_000)
    }

    private let store: any FileLibrary & MailLibrary
    private let state = Mutex(State())

    package init(store: any FileLibrary & MailLibrary) { self.store = store }

    /// Throws `StoreError`.
    package func file(_ id: FileEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await content(Key(user: user, item: .file(id))) { ServedContent(try await store.file(id, of: user)) }
    }

    /// Throws `StoreError`.
    package func attachment(_ id: AttachmentEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await content(Key(user: user, item: .attachment(id))) {
            ServedContent(try await store.attachment(id, of: user))
        }
    }

    private func content(_ key: Key, _ look: () async throws -> ServedContent) async throws -> ServedContent {
        // Read before the look-up: what is found is at least as new.
        let version = try store.dataVersion()
        let known = state.withLock { state in
            if state.version != version { state = State(version: version) }
            return state.entries[key]
        }
        if let known { return known }
        let content = try await look()
        state.withLock { state in
            if state.version == version { state.entries[key] = content }
        }
        return content
    }
}
