/// A thing that a share link shows.
package enum SharedItem: Sendable, Hashable {
    case folder(FolderEntry)
    case file(FileEntry)
    case email(EmailSummary)
    case note(NoteEntry)

    package var itemID: LibraryItemID {
        switch self {
        case .folder(let folder): .folder(folder.id)
        case .file(let file): .file(file.id)
        case .email(let email): .email(email.id)
        case .note(let note): .note(note.id)
        }
    }

    /// The fund in which it is.
    package var fund: Fund.ID {
        switch self {
        case .folder(let folder): folder.fund
        case .file(let file): file.fund
        case .email(let email): email.fund
        case .note(let note): note.fund
        }
    }
}

/// A live link with the person who shares by it.
package struct OpenedLink: Sendable, Hashable {
    package var link: ShareLink
    package var owner: User

    package init(link: ShareLink, owner: User) { (self.link, self.owner) = (link, owner) }
}

/// A folder that a link shows, with those above it from the one that is shared.
package struct SharedFolder: Sendable {
    /// From the shared folder to the folder itself.
    package var trail: [FolderEntry]
    package var items: ListPage<SharedItem>

    package init(trail: [FolderEntry], items: ListPage<SharedItem>) { (self.trail, self.items) = (trail, items) }
}
