package import FundCore

/// The neighbours of an item: in its folder, in a list of mail, among the hits of a search, among files with the same
/// bytes.
extension SQLLibraryStore {
    package func neighbours(
        of file: FileEntry.ID, by order: ItemOrder, matching filter: FileFilter, of user: User.ID
    ) async throws -> Neighbours<FileEntry> {
        try await viewing("find the files beside one", of: user) { view in
            let file = try view.file(file)
            let place = LibraryPlace(fund: file.fund, folder: file.folder)
            return try ItemList(place, by: order, matching: filter, limit: 1, view).neighbours(of: file)
        }
    }

    package func neighbours(
        of email: EmailSummary.ID, in query: EmailQuery, of user: User.ID
    ) async throws -> Neighbours<EmailSummary> {
        let operation = "find the emails beside one"
        guard query.text == nil else { throw StoreError(.invalid, operation, "a search has an order of its own") }
        return try await viewing(operation, of: user) { view in
            let email = try view.email(email, query.deletedOnly ? .deleted : .live)
            return try EmailList(query, view).neighbours(of: email)
        }
    }

    package func neighbours(
        of item: LibraryItemID, in query: SearchQuery, of user: User.ID
    ) async throws -> Neighbours<SearchHit> {
        await index.catchUp()
        return try await searching("find the hits beside one", of: user) { view in
            try view.check(item)
            if let fund = query.fund { _ = try view.fund(fund) }
            guard let number = try SearchCandidate.number(of: item, view.db) else { return Neighbours() }
            let expression = SearchExpression(query.text, of: user, fund: query.fund, kind: query.kind)
            let filter = SearchFilter(query)
            func nearest(_ side: SearchCandidate.Side) throws -> SearchHit? {
                let page = SearchPage(view: view, limit: 1, cursor: number, side: side)
                return try page.fetch(expression) { try view.hits($0, filter) }.items.first
            }
            return Neighbours(previous: try nearest(.after), next: try nearest(.before))
        }
    }

    package func versions(of file: FileEntry.ID, of user: User.ID) async throws -> FileVersions? {
        try await viewing("find the versions of a file", of: user) { view in
            let file = try view.file(file)
            let place = LibraryPlace(fund: file.fund, folder: file.folder)
            return try VersionRows(view: view, place: place).versions(of: [file])[file.id]
        }
    }

    package func provenance(of file: FileEntry.ID, of user: User.ID) async throws -> FileProvenance {
        try await viewing("find where a file came from", of: user) { view in
            let file = try view.file(file)
            return FileProvenance(
                file: file, origin: try view.origin(of: file), sameContent: try view.sameContent(as: file.id))
        }
    }

    package func files(with contents: Set<ContentDigest>, of user: User.ID) async throws -> [FileEntry] {
        try await viewing("find the files of contents", of: user) { view in
            try contents.flatMap { content in
                try view.files(where: "file.id IN (\(LibraryView.holders))", [content])
            }
        }
    }
}

extension LibraryView {
    /// The email with which a file came; nil when it did not come by mail, or the mail is out of sight.
    fileprivate func origin(of file: FileEntry) throws -> FileProvenance.Origin? {
        guard let attachment = file.attachment, let id = file.email,
            let email = try emails(where: "email.id = ?2", [id]).first
        else { return nil }
        let attachments = try attachments(where: "attachment.email_id = ?2", [id])
        guard let own = attachments.first(where: { $0.id == attachment }) else { return nil }
        let number = attachments.filter { !$0.isInline }.firstIndex { $0.id == attachment }
        // A part's path begins with that of the part that holds it; the innermost has the longest.
        let container = attachments.filter { own.partPath.hasPrefix($0.partPath + ".") }
            .max { $0.partPath.utf8.count < $1.partPath.utf8.count }
        return FileProvenance.Origin(
            email: email, attachment: own, number: number.map { $0 + 1 }, container: container)
    }

    /// Users together may have more files with the same bytes than one wants to look at, such as a logo: only the
    /// latest of them are.
    static let maxSharers = 2000

    /// Query for the latest files, of all users, with the bytes of the file ?2.
    static let sharers = """
        SELECT other.id FROM file AS other
        WHERE other.blob_id = (SELECT blob_id FROM file WHERE id = ?2) AND other.id <> ?2
        ORDER BY other.id DESC LIMIT \(maxSharers)
        """

    /// Query for the latest files, of all users, with the bytes of the digest ?2.
    fileprivate static let holders = """
        SELECT other.id FROM file AS other WHERE other.blob_id = (SELECT id FROM blob WHERE digest = ?2)
        ORDER BY other.id DESC LIMIT \(maxSharers)
        """

    fileprivate func sameContent(as file: FileEntry.ID) throws -> [FileEntry] {
        let sorting = Sorting(by: "file.id DESC", limit: FileProvenance.maxSameContent)
        return Array(
            try files(where: "file.id IN (\(Self.sharers))", [file], sorting).prefix(FileProvenance.maxSameContent))
    }
}
