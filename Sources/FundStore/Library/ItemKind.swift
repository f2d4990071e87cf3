internal import GRDB
import Ingest

/// How the tables that hold all kinds of items tell them apart. The numbers are stored.
enum ItemKind: Int, CaseIterable {
    case fund, folder, file, email, note
}

extension LibraryItemID {
    var kind: ItemKind {
        switch self {
        case .fund: .fund
        case .folder: .folder
        case .file: .file
        case .email: .email
        case .note: .note
        }
    }

    var number: Int64 {
        switch self {
        case .fund(let id), .folder(let id), .file(let id), .email(let id), .note(let id): id
        }
    }

    init(_ kind: ItemKind, _ id: Int64) {
        self =
            switch kind {
            case .fund: .fund(id)
            case .folder: .folder(id)
            case .file: .file(id)
            case .email: .email(id)
            case .note: .note(id)
            }
    }

    /// Throws `corrupted` for a number that is no kind.
    init(column kind: Int, _ id: Int64) throws {
        guard let kind = ItemKind(rawValue: kind) else {
            throw StoreError(.corrupted, "read the library", "\(kind) is no kind of item")
        }
        self.init(kind, id)
    }
}
