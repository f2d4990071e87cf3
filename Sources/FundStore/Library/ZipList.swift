import FundCore

/// Collects what a zip file of a fund holds: folders with those above them first, then files, then emails.
struct ZipList {
    private static let operation = "list a zip file"
    /// Limit of the part of a subject of which a name is made: it may have many kilobytes.
    private static let maxSubjectLength = 200

    private let view: LibraryView
    private let maxItems: Int
    private let quarantine: Quarantine
    private(set) var items: [ZipItem] = []
    /// Places of folders in `items`.
    private var indices: [FolderEntry.ID: Int] = [:]

    init(_ selection: ZipSelection, atMost maxItems: Int, _ view: LibraryView, _ quarantine: Quarantine) throws {
        self.view = view
        self.quarantine = quarantine
        self.maxItems = maxItems
        _ = try view.fund(selection.fund)
        guard let wanted = selection.items else {
            try addFolders(in: selection.fund, from: nil)
            try addFiles("file.fund_id = ?2", [selection.fund])
            if selection.includesEmails { try addEmails("email.fund_id = ?2", [selection.fund]) }
            return
        }
        let found = try check(wanted, in: selection.fund)
        try addFolders(in: selection.fund, from: found.folders)
        let (inside, files) = (SQL.list(indices.keys.map(\.rawValue)), SQL.list(found.files.map(\.rawValue)))
        try addFiles(
            "file.fund_id = ?2 AND (file.folder_id \(SQL.isAmong("?3")) OR file.id \(SQL.isAmong("?4")))",
            [selection.fund, inside, files])
        if selection.includesEmails {
            try addEmails("email.fund_id = ?2", [selection.fund])
        } else if !found.emails.isEmpty {
            try addEmails(
                "email.fund_id = ?2 AND email.id \(SQL.isAmong("?3"))",
                [selection.fund, SQL.list(found.emails.map(\.rawValue))])
        }
    }

    private struct Wanted {
        var folders: Set<FolderEntry.ID> = []
        var files: Set<FileEntry.ID> = []
        var emails: Set<EmailSummary.ID> = []
    }

    /// Throws `notFound` unless all are there and in the fund.
    private func check(_ items: [LibraryItemID], in fund: Fund.ID) throws -> Wanted {
        var wanted = Wanted()
        for item in items {
            switch item {
            case .folder(let id): wanted.folders.insert(id)
            case .file(let id): wanted.files.insert(id)
            case .email(let id): wanted.emails.insert(id)
            case .fund, .note:
                throw StoreError(.invalid, Self.operation, "a zip file holds files, folders and emails")
            }
        }
        func isComplete(_ kind: ItemKind, _ count: Int, _ funds: [Fund.ID]) -> Bool {
            funds.count == count && funds.allSatisfy { $0 == fund }
        }
        let folders = try view.among(items, .folder) { try view.folders(where: $0, $1) }
        let files = try view.among(items, .file) { try view.files(where: $0, $1) }
        let emails = try view.among(items, .email) { try view.emails(where: $0, $1) }
        guard isComplete(.folder, wanted.folders.count, folders.map(\.fund)),
            isComplete(.file, wanted.files.count, files.map(\.fund)),
            isComplete(.email, wanted.emails.count, emails.map(\.fund))
        else { throw view.missing(Self.operation) }
        return wanted
    }

    private mutating func add(_ item: ZipItem) throws {
        guard items.count < maxItems else {
            throw StoreError(
                .invalid, Self.operation, "a zip file holds at most \(maxItems) files, folders and emails")
        }
        items.append(item)
    }

    /// - Parameter roots: folders that are wanted with all that is in them; one that lies in another of them stands
    ///   there only. Nil for all.
    private mutating func addFolders(in fund: Fund.ID, from roots: Set<FolderEntry.ID>?) throws {
        guard roots?.isEmpty != true else { return }
        let folders = try view.folders(from: .fund, where: "folder.fund_id = ?2", [fund])
        let children = Dictionary(grouping: folders, by: \.parent)
        // Backwards, since the last one is taken first.
        var open = Array((children[nil] ?? []).reversed())
        while let folder = open.popLast() {
            let parent = folder.parent.flatMap { indices[$0] }
            if parent != nil || roots?.contains(folder.id) ?? true {
                indices[folder.id] = items.count
                try add(
                    ZipItem(.folder, folder.name, in: parent, size: 0, modifiedAt: folder.modifiedAt))
            }
            open += (children[folder.id] ?? []).reversed()
        }
    }

    private mutating func addFiles(_ condition: String, _ arguments: SQLArguments) throws {
        // In the order of the index of names.
        let sql = """
            SELECT file.id, file.folder_id, file.name, blob.digest, file.size, file.modified_at
            FROM \(LibraryView.Start.fund.join("file")) \(SQL.thenJoin) blob ON blob.id = file.blob_id
            WHERE \(LibraryView.inVisibleFund) AND file.deleted_at IS NULL AND (\(condition))
            ORDER BY \(ItemKind.file.parent), file.name_key
            """
        try view.db.forEach(sql, [view.user] + arguments) { row in
            let (folder, digest): (FolderEntry.ID?, ContentDigest) = (row[1], try row.digest(3))
            let refusal = try quarantine.refusal(of: digest)
            try add(
                ZipItem(
                    refusal.map { .withheld($0) } ?? .file(row[0], digest), row[2],
                    in: folder.flatMap { indices[$0] }, size: refusal == nil ? row[4] : nil, modifiedAt: row[5]))
            return true
        }
    }

    private mutating func addEmails(_ condition: String, _ arguments: SQLArguments) throws {
        let sql = """
            SELECT email.id, substr(email.subject, 1, \(Self.maxSubjectLength)), email.received_at, message.size,
                message.raw_dropped_at IS NULL, message.digest
            FROM \(LibraryView.Start.fund.join("email")) \(SQL.thenJoin) message ON message.id = email.message_id
            WHERE \(LibraryView.emailScope(.live)) AND (\(condition)) ORDER BY email.received_at, email.id
            """
        try view.db.forEach(sql, [view.user] + arguments) { row in
            // A message that carries a withheld content is reduced to its text.
            let isWhole = try row[4] && quarantine.refusal(of: row.digest(5)) == nil
            let (subject, size): (String?, Int64) = (row[1], row[3])
            try add(
                ZipItem(
                    .email(row[0], isWhole: isWhole), subject ?? "", in: nil, size: isWhole ? size : nil,
                    modifiedAt: row[2]))
            return true
        }
    }
}
