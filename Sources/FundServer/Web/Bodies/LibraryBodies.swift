internal import Ingest

extension JSONText {
    mutating func field(_ fund: FundEntry) {
        field("id", fund.id)
        field("name", fund.name)
        field("aliases", fund.aliases)
        field("created_at", fund.createdAt)
        field("modified_at", fund.modifiedAt)
        field("deleted_at", fund.deletedAt)
        field("is_favourite", fund.isFavourite)
    }

    mutating func field(_ folder: FolderEntry) {
        field("id", folder.id)
        field("fund", folder.fund)
        field("parent", folder.parent)
        field("name", folder.name)
        field("created_at", folder.createdAt)
        field("modified_at", folder.modifiedAt)
        field("deleted_at", folder.deletedAt)
    }

    mutating func field(_ file: FileEntry) {
        field("id", file.id)
        field("fund", file.fund)
        field("folder", file.folder)
        field("name", file.name)
        field("size", file.size)
        field("content_type", file.contentType)
        field("sha256", file.digest.hex)
        field("created_at", file.createdAt)
        field("modified_at", file.modifiedAt)
        field("deleted_at", file.deletedAt)
        field("attachment", file.attachment)
        field("email", file.email)
        field("is_favourite", file.isFavourite)
    }

    /// With its kind, for lists of several.
    mutating func field(_ item: LibraryItem) {
        switch item {
        case .fund(let fund):
            field("type", "fund")
            field(fund)
        case .folder(let folder):
            field("type", "folder")
            field(folder)
        case .file(let file):
            field("type", "file")
            field(file)
        }
    }

    mutating func field(_ id: LibraryItemID) {
        let (kind, number) = id.kindAndNumber
        field("type", kind.rawValue)
        field("id", number)
    }
}

/// The kinds of things that a user has, as they are named in JSON.
enum ItemKind: String, CaseIterable, Decodable, Sendable {
    case fund, folder, file, email, note

    func id(_ number: Int64) -> LibraryItemID {
        switch self {
        case .fund: .fund(number)
        case .folder: .folder(number)
        case .file: .file(number)
        case .email: .email(number)
        case .note: .note(number)
        }
    }
}

extension LibraryItemID {
    var kindAndNumber: (kind: ItemKind, number: Int64) {
        switch self {
        case .fund(let id): (.fund, id)
        case .folder(let id): (.folder, id)
        case .file(let id): (.file, id)
        case .email(let id): (.email, id)
        case .note(let id): (.note, id)
        }
    }
}
