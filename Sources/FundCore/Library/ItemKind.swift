/// The kinds of items of a library. The numbers are stored, and the names are those of the web API.
package enum ItemKind: Int, CaseIterable, Sendable {
    case fund, folder, file, email, note
}

extension LibraryItemID {
    package init(_ kind: ItemKind, _ number: Int64) {
        self =
            switch kind {
            case .fund: .fund(number)
            case .folder: .folder(number)
            case .file: .file(number)
            case .email: .email(number)
            case .note: .note(number)
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
        case .fund(let id), .folder(let id), .file(let id), .email(let id), .note(let id): id
        }
    }
}
