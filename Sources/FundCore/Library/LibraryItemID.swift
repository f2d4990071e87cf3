/// Names an item of a user's library.
package enum LibraryItemID: Sendable, Hashable {
    case fund(Fund.ID)
    case folder(FolderEntry.ID)
    case file(FileEntry.ID)
    case email(EmailSummary.ID)
    case note(NoteEntry.ID)
}

/// The kinds of items of a library. The numbers are stored, and the names are those of the web API.
package enum ItemKind: Int, CaseIterable, Sendable {
    case fund, folder, file, email, note

    /// The name in JSON, and in paths of the web API.
    package var name: String { "\(self)" }
}

extension JSONWriter {
    /// Writes the kind of an item and its number.
    package mutating func field(_ id: LibraryItemID) {
        field("type", id.kind.name)
        field("id", id.number)
    }
}

extension LibraryItemID {
    package init(_ kind: ItemKind, _ number: Int64) {
        self =
            switch kind {
            case .fund: .fund(.init(number))
            case .folder: .folder(.init(number))
            case .file: .file(.init(number))
            case .email: .email(.init(number))
            case .note: .note(.init(number))
            }
    }

    package var kind: ItemKind {
        switch self {
        case .fund: .fund
        case .folder: .folder
        case .file: .file
        case .email: .email
        case .note: .note
        }
    }

    /// Unique among the items of its kind.
    package var number: Int64 {
        switch self {
        case .fund(let id): id.rawValue
        case .folder(let id): id.rawValue
        case .file(let id): id.rawValue
        case .email(let id): id.rawValue
        case .note(let id): id.rawValue
        }
    }
}
