internal import FundHTTP
internal import FundCore

extension JSONWriter {
    mutating func field(_ fund: FundEntry) {
        field("id", fund.id)
        field("name", fund.name)
        field("aliases", fund.aliases)
        field("created_at", fund.createdAt)
        field("modified_at", fund.modifiedAt)
        field("deleted_at", fund.deletedAt)
        field("is_favourite", fund.isFavourite)
        field("is_archived", fund.isArchived)
    }

    /// Writes what a change of a fund did beside it, which is no part of the fund.
    mutating func fieldOfChange(_ fund: FundEntry) {
        if let former = fund.tookNameFrom { field("took_name_from", former) }
    }

    mutating func field(_ favourite: FavouriteEntry) {
        field(favourite.item)
        field("name", favourite.name)
        field("fund", favourite.fund)
        field("fund_name", favourite.fundName)
        field("content_type", favourite.contentType)
        field("date", favourite.date)
    }

    mutating func field(_ arrival: Arrival) {
        let (kind, id, title): (ItemKind, Int64, String?) =
            switch arrival.content {
            case .email(let came): (.email, came.email.id.rawValue, came.email.subject)
            case .upload(let file): (.file, file.id.rawValue, file.name)
            }
        field("type", kind.name)
        field("id", id)
        field("fund", arrival.fund)
        field("fund_name", arrival.fundName)
        field("at", arrival.at)
        field("title", title)
        field("from", arrival.email?.email.from)
        field("excerpt", arrival.email?.excerpt)
        field("is_new", arrival.isNew)
        objects("files", arrival.files) { $0.field($1) }
        field("has_more_files", arrival.email?.hasMoreFiles ?? false)
    }

    mutating func field(_ summary: FundSummary) {
        field(summary.fund)
        field("file_count", summary.fileCount)
        field("email_count", summary.emailCount)
        field("note_count", summary.noteCount)
        field("latest_email_at", summary.latestEmailAt)
        field("seen_at", summary.seenAt)
        field("new_email_count", summary.newEmailCount)
        field("new_file_count", summary.newFileCount)
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

    /// With its kind, for lists of several kinds.
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
}

extension ItemKind {
    /// Nil for what names no kind.
    init?(name: String) {
        guard name.isShortWord, let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
