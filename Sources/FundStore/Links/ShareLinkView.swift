import FundCore

/// One link with the things that it shows, within one transaction. Each question is bound to the link, to the library
/// of its owner, and to the fund in which it was made: a thing that was moved to another fund is not shown there.
struct ShareLinkView {
    /// Folders above one another, at most: deeper ones are not looked at.
    private static let maxDepth = 1000

    let db: Database
    let link: ShareLink
    let owner: User
    private let quarantine: Quarantine

    var view: LibraryView { LibraryView(db: db, user: link.owner) }

    /// Throws `notFound` unless the link goes on: neither ended nor expired, with an owner who is enabled. One that is
    /// used up goes on for those who have opened it.
    init(_ id: ShareLink.ID, at now: Timestamp, _ db: Database, _ quarantine: Quarantine) throws {
        let found = try ShareLinkRows.links(db, where: "id = ?1", [id]).first
        guard let found, [.live, .usedUp].contains(found.state(at: now)),
            let owner = try Self.owner(of: found, db)
        else { throw Self.missing }
        (self.db, self.link, self.owner, self.quarantine) = (db, found, owner, quarantine)
    }

    /// The owner of a link; nil for one who is disabled.
    static func owner(of link: ShareLink, _ db: Database) throws -> User? {
        let owner = try db.row("SELECT * FROM \"user\" WHERE id = ?", [link.owner]).map(User.init(row:))
        return owner.flatMap { $0.isDisabled ? nil : $0 }
    }

    static var missing: StoreError { StoreError(.notFound, "look behind a link", "there is no such thing") }

    private func isInFund(_ fund: Fund.ID) -> Bool { fund == link.fund }

    /// The things of the link that are there.
    func items() throws -> [SharedItem] {
        let view = view
        let folders = try view.among(link.items, .folder) { try view.folders(where: $0, $1) }
            .filter { isInFund($0.fund) }
        let files = try view.among(link.items, .file) { try view.files(where: $0, $1) }.filter { isInFund($0.fund) }
        let emails = try view.among(link.items, .email) { try view.emails(where: $0, $1) }
            .filter { isInFund($0.fund) }
        let notes = try view.among(link.items, .note) { try view.notes(where: $0, $1) }.filter { isInFund($0.fund) }
        return try folders.map { .folder($0) } + files.filter(isGiven).map { .file($0) } + emails.map { .email($0) }
            + notes.map { .note($0) }
    }

    /// Whether one of its things is there; of an upload link, its place.
    func hasItems() throws -> Bool {
        guard link.purpose == .upload else { return try !items().isEmpty }
        return try place() != nil
    }

    /// The place of an upload link; nil when that is gone, and for other links.
    func place() throws -> LibraryPlace? {
        guard link.purpose == .upload, let item = link.items.first else { return nil }
        let place: LibraryPlace? =
            switch item {
            case .fund(let id):
                try view.funds(where: "fund.id = ?2", [id]).first.map { LibraryPlace(fund: $0.id) }
            case .folder(let id):
                try view.folders(where: "folder.id = ?2", [id]).first.map {
                    LibraryPlace(fund: $0.fund, folder: $0.id)
                }
            case .file, .email, .note: nil
            }
        return place.flatMap { isInFund($0.fund) ? $0 : nil }
    }

    /// The folders from the outermost one that the link shows to this one. Throws `notFound` for a folder that it does
    /// not show.
    func trail(to folder: FolderEntry.ID) throws -> [FolderEntry] {
        guard link.purpose != .upload else { throw Self.missing }
        var (trail, next, depth): ([FolderEntry], FolderEntry.ID?, Int) = ([], folder, 0)
        var shown: Int?
        while let id = next, depth < Self.maxDepth {
            let folder = try view.folder(id)
            guard isInFund(folder.fund) else { throw Self.missing }
            trail.append(folder)
            if link.items.contains(.folder(id)) { shown = trail.count }
            (next, depth) = (folder.parent, depth + 1)
        }
        guard let shown else { throw Self.missing }
        return trail.prefix(shown).reversed()
    }

    func folder(_ id: FolderEntry.ID, _ page: PageQuery) throws -> SharedFolder {
        let trail = try trail(to: id)
        guard let folder = trail.last else { throw Self.missing }
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        let place = LibraryPlace(fund: folder.fund, folder: folder.id)
        let list = try ItemList(place, by: ItemOrder(), limit: page.limit, view).page(after: cursor)
        let items: [SharedItem] = try list.items.compactMap { item in
            switch item {
            case .folder(let folder): .folder(folder)
            case .file(let file): try isGiven(file) ? .file(file) : nil
            case .fund: nil
            }
        }
        return SharedFolder(trail: trail, items: ListPage(items: items, next: list.next))
    }

    func file(_ id: FileEntry.ID) throws -> FileEntry {
        let file = try view.file(id)
        guard link.purpose != .upload, isInFund(file.fund), try isGiven(file) else { throw Self.missing }
        if link.items.contains(.file(id)) { return file }
        guard let folder = file.folder else { throw Self.missing }
        _ = try trail(to: folder)
        return file
    }

    func note(_ id: NoteEntry.ID) throws -> NoteEntry {
        guard link.items.contains(.note(id)) else { throw Self.missing }
        let note = try view.note(id)
        guard isInFund(note.fund) else { throw Self.missing }
        return note
    }

    /// Without the attachments that are kept from people.
    func email(_ id: EmailSummary.ID) throws -> EmailEntry {
        guard link.items.contains(.email(id)) else { throw Self.missing }
        var email = try view.emailEntry(id)
        guard isInFund(email.summary.fund) else { throw Self.missing }
        email.attachments = try email.attachments.filter { try quarantine.refusal(of: $0.digest) == nil }
        return email
    }

    func attachment(_ id: AttachmentEntry.ID) throws -> AttachmentEntry {
        let found = try view.attachments(where: "attachment.id = ?2", [id]).first
        guard let found, link.items.contains(.email(found.email)), isInFund(try view.email(found.email).fund),
            try quarantine.refusal(of: found.digest) == nil
        else { throw Self.missing }
        return found
    }

    private func isGiven(_ file: FileEntry) throws -> Bool { try quarantine.refusal(of: file.digest) == nil }
}
