internal import HTTPTypes

extension Session {
    private struct DriveList: Decodable { var drives: [Drive] }
    private struct KindList: Decodable { var kinds: [DriveKind] }
    private struct FoundList: Decodable { var entries: [DriveEntry] }

    private struct EntryList: Decodable {
        var entries: [DriveEntry]
        var next: String?
        var unnamed: Int
    }

    private struct TransferList: Decodable {
        var transfers: [DriveTransfer]
        var next: String?
    }

    private struct NewDrive: Encodable {
        var name: String
        var kind: String
        var settings: [String: String]
    }

    private struct NewSignIn: Encodable {
        var kind: String?
        var name: String?
        var drive: DriveID?
    }

    private struct SignInCode: Encodable {
        var id: String
        var code: String
    }

    private struct PathBody: Encodable { var path: String }

    private struct MoveBody: Encodable {
        var path: String
        var to: String
    }

    private struct PullBody: Encodable {
        var drive: DriveID
        var paths: [String]
        var fund: FundID
        var folder: FolderID?
    }

    private struct PushBody: Encodable {
        struct Item: Encodable {
            var type: String
            var id: Int64
        }

        var drive: DriveID
        var items: [Item]
        var path: String
    }

    // MARK: Drives

    /// One's drives by name. Throws `forbidden` where drives are off, as the other calls about drives.
    public func drives() async throws(ClientError) -> [Drive] {
        try await value(DriveList.self, .get("/api/v1/drives")).drives
    }

    /// The kinds of stores that the administrators allow.
    public func driveKinds() async throws(ClientError) -> [DriveKind] {
        try await value(KindList.self, .get("/api/v1/drives/kinds")).kinds
    }

    /// Adds a drive once the server has asked its store with these settings.
    /// - Parameter settings: by the names of the kind's fields.
    public func addDrive(
        _ name: String, kind: String, settings: [String: String]
    ) async throws(ClientError) -> Drive {
        let body = NewDrive(name: name, kind: kind, settings: settings)
        return try await value(.sending(.post, "/api/v1/drives", body).patiently())
    }

    /// Begins to sign in to a store on its own page, for a drive that is added. A person opens it in a browser.
    public func beginSignIn(_ name: String, kind: String) async throws(ClientError) -> DriveSignIn {
        try await value(.sending(.post, "/api/v1/drives/sign-ins", NewSignIn(kind: kind, name: name)))
    }

    /// Begins to sign in to the store of a drive anew.
    public func beginSignIn(to drive: DriveID) async throws(ClientError) -> DriveSignIn {
        try await value(.sending(.post, "/api/v1/drives/sign-ins", NewSignIn(drive: drive)))
    }

    /// Keeps the drive of a sign-in, with the code that the person was shown.
    public func finish(_ signIn: DriveSignIn, code: String) async throws(ClientError) -> Drive {
        let body = SignInCode(id: signIn.id, code: code)
        return try await value(.sending(.post, "/api/v1/drives/sign-ins/finish", body).patiently())
    }

    /// Has the server forget a drive and its secrets. What the store has stays there.
    public func removeDrive(_ id: DriveID) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/drives/\(id)", isRepeatable: true))
    }

    /// The room of a drive.
    public func space(of drive: DriveID) async throws(ClientError) -> DriveSpace {
        try await value(Call.get("/api/v1/drives/\(drive)/space").patiently())
    }

    // MARK: Content

    /// A page of a folder, folders first.
    /// - Parameters:
    ///   - path: names from the top with slashes between them; empty for the top.
    ///   - limit: 1 to `maxPageSize`.
    /// - Returns: the page, and the number of entries of the folder whose names cannot be used.
    public func entries(
        of path: String, in drive: DriveID, after cursor: PageCursor? = nil, limit: Int = Session.maxPageSize
    ) async throws(ClientError) -> (page: Page<DriveEntry>, unnamed: Int) {
        let query = [("path", Optional(path)), ("limit", "\(limit)"), ("cursor", cursor?.text)]
        let list = try await value(EntryList.self, Call.get("/api/v1/drives/\(drive)/entries", query).patiently())
        return (Page(list.entries, next: list.next.map(PageCursor.init)), list.unnamed)
    }

    /// A file or folder of a drive.
    public func driveEntry(_ path: String, in drive: DriveID) async throws(ClientError) -> DriveEntry {
        try await value(Call.get("/api/v1/drives/\(drive)/entry", [("path", path)]).patiently())
    }

    /// Files and folders below a path whose names hold a text, a bounded number of them.
    public func search(
        _ text: String, below path: String, in drive: DriveID
    ) async throws(ClientError) -> [DriveEntry] {
        let call = Call.get("/api/v1/drives/\(drive)/search", [("q", text), ("path", path)])
        return try await value(FoundList.self, call.patiently()).entries
    }

    /// Makes a folder of a drive; one that is there is left as it is.
    public func makeFolder(_ path: String, in drive: DriveID) async throws(ClientError) {
        let call = try Call.sending(
            .post, "/api/v1/drives/\(drive)/folders", PathBody(path: path), isRepeatable: true)
        try await done(call.patiently())
    }

    /// Moves or renames a file or folder of a drive. Throws `conflict` where something stands.
    public func move(_ path: String, to target: String, in drive: DriveID) async throws(ClientError) {
        let body = MoveBody(path: path, to: target)
        try await done(Call.sending(.post, "/api/v1/drives/\(drive)/move", body).patiently())
    }

    /// Deletes a file of a drive, or a folder with all that is in it, in the store.
    public func delete(_ path: String, in drive: DriveID) async throws(ClientError) {
        try await done(
            Call.sending(.post, "/api/v1/drives/\(drive)/delete", PathBody(path: path)).patiently())
    }

    // MARK: Transfers

    /// Begins to take files and folders of a drive into a place.
    /// - Parameter fund: the fund of the place.
    public func pull(
        _ paths: [String], from drive: DriveID, into fund: FundID, folder: FolderID? = nil
    ) async throws(ClientError) -> DriveTransfer {
        let body = PullBody(drive: drive, paths: paths, fund: fund, folder: folder)
        return try await value(.sending(.post, "/api/v1/transfers", body))
    }

    /// Begins to copy files and folders to a folder of a drive.
    public func push(
        files: [FileID], folders: [FolderID], to drive: DriveID, into path: String
    ) async throws(ClientError) -> DriveTransfer {
        let items =
            files.map { PushBody.Item(type: "file", id: $0.value) }
            + folders.map { PushBody.Item(type: "folder", id: $0.value) }
        return try await value(
            .sending(.post, "/api/v1/transfers", PushBody(drive: drive, items: items, path: path)))
    }

    /// A page of transfers, the latest first.
    /// - Parameter limit: 1 to `maxPageSize`.
    public func driveTransfers(
        after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(ClientError) -> Page<DriveTransfer> {
        let query = [("limit", Optional("\(limit)")), ("cursor", cursor?.text)]
        let list = try await value(TransferList.self, .get("/api/v1/transfers", query))
        return Page(list.transfers, next: list.next.map(PageCursor.init))
    }

    /// A transfer with its progress.
    public func driveTransfer(_ id: DriveTransferID) async throws(ClientError) -> DriveTransfer {
        try await value(.get("/api/v1/transfers/\(id)"))
    }

    /// Ends a transfer. Files that have arrived stay. Throws `conflict` for one that has ended.
    @discardableResult
    public func cancelDriveTransfer(_ id: DriveTransferID) async throws(ClientError) -> DriveTransfer {
        try await value(Call(.post, "/api/v1/transfers/\(id)/cancel"))
    }

    /// Queues a transfer again that failed or was cancelled.
    @discardableResult
    public func retryDriveTransfer(_ id: DriveTransferID) async throws(ClientError) -> DriveTransfer {
        try await value(Call(.post, "/api/v1/transfers/\(id)/retry"))
    }
}
