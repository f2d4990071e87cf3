internal import FundCore

/// The contents of users' attachments and files by their ids: a list that is shown again asks for the same pictures
/// again. The owner is part of the key.
final class ContentDirectory: Sendable {
    private enum Item: Hashable {
        case file(FileEntry.ID)
        case deletedFile(FileEntry.ID)
        case archivedFile(FileEntry.ID)
        case attachment(AttachmentEntry.ID)
    }

    private struct Key: Hashable {
        var user: User.ID
        var item: Item
    }

    private let store: any FileReading & MailLibrary & Trash
    private let archive: any FileReading
    /// About 20 MB.
    private let contents: VersionedValues<Key, ServedContent>

    init(store: any FileReading & MailLibrary & Trash, archive: any FileReading) {
        (self.store, self.archive) = (store, archive)
        contents = VersionedValues(maxEntries: 50_000, dataVersion: { try store.dataVersion() })
    }

    /// Throws `StoreError`.
    func file(_ id: FileEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await contents.value(of: Key(user: user, item: .file(id))) {
            ServedContent(try await store.file(id, of: user))
        }
    }

    /// A file that the trash lists. Throws `StoreError`.
    func deletedFile(_ id: FileEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await contents.value(of: Key(user: user, item: .deletedFile(id))) {
            ServedContent(try await store.deletedFile(id, of: user))
        }
    }

    /// A file of an archived fund. Throws `StoreError`.
    func archivedFile(_ id: FileEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await contents.value(of: Key(user: user, item: .archivedFile(id))) {
            ServedContent(try await archive.file(id, of: user))
        }
    }

    /// Throws `StoreError`.
    func attachment(_ id: AttachmentEntry.ID, of user: User.ID) async throws -> ServedContent {
        try await contents.value(of: Key(user: user, item: .attachment(id))) {
            ServedContent(try await store.attachment(id, of: user))
        }
    }
}

/// A file as it is served.
struct ServedContent: Sendable {
    var digest: ContentDigest
    /// Bytes.
    var size: Int64
    var name: String
    var contentType: String
    /// Nil for attachments and raw messages, which never change.
    var modifiedAt: Timestamp?
    /// Displayed by a browser instead of saved, if its type allows it.
    var isInline = false
    /// Whether it is known to be text in UTF-8.
    var isUTF8 = false
}

extension ServedContent {
    init(_ file: FileEntry) {
        self.init(
            digest: file.digest, size: file.size, name: file.name, contentType: file.contentType,
            modifiedAt: file.modifiedAt)
    }

    init(_ attachment: AttachmentEntry) {
        self.init(
            digest: attachment.digest, size: attachment.size, name: attachment.name,
            contentType: attachment.contentType)
    }

    /// A file of mail that is not in the store.
    init(_ attachment: ParsedAttachment) {
        self.init(
            digest: attachment.digest, size: attachment.size, name: attachment.displayName,
            contentType: attachment.contentType)
    }

    /// A raw message.
    init(message id: String, digest: ContentDigest, size: Int64) {
        self.init(digest: digest, size: size, name: "message-\(id).eml", contentType: "message/rfc822")
    }
}
