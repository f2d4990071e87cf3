internal import HTTPTypes

extension Session {
    private struct WatchList: Decodable { var watches: [DriveWatch] }
    private struct RefusedList: Decodable { var files: [RefusedFile] }

    private struct NewWatch: Encodable {
        var path: String
        var fund: FundID
        var folder: FolderID?
        var disposition: DriveWatch.Disposition
        var subfolder: String?
        var minutes: Int?
    }

    private struct WatchChange: Encodable { var isOn: Bool }

    /// Watched folders of a drive.
    public func watches(of drive: DriveID) async throws(ClientError) -> [DriveWatch] {
        try await value(WatchList.self, .get("/api/v1/drives/\(drive)/watches")).watches
    }

    /// Watches a folder of a drive: what appears in it is filed into a place.
    /// - Parameters:
    ///   - path: names from the top with slashes between them; empty for the top.
    ///   - fund: the fund of the place.
    ///   - subfolder: the name of the folder to which filed files move; nil for the server's own.
    ///   - minutes: between two looks; nil for the server's own.
    public func watch(
        _ path: String, of drive: DriveID, into fund: FundID, folder: FolderID? = nil,
        disposition: DriveWatch.Disposition = .leave, subfolder: String? = nil, minutes: Int? = nil
    ) async throws(ClientError) -> DriveWatch {
        let body = NewWatch(
            path: path, fund: fund, folder: folder, disposition: disposition, subfolder: subfolder, minutes: minutes)
        return try await value(Call.sending(.post, "/api/v1/drives/\(drive)/watches", body).patiently())
    }

    /// Pauses a watched folder, or turns it on: then it is looked at at once, and what could not be filed is tried
    /// again.
    @discardableResult
    public func setWatch(_ watch: DriveWatch, isOn: Bool) async throws(ClientError) -> DriveWatch {
        try await value(
            .sending(.patch, "/api/v1/drives/\(watch.drive)/watches/\(watch.id)", WatchChange(isOn: isOn)))
    }

    /// Watches a folder no more. What is filed stays.
    public func removeWatch(_ watch: DriveWatch) async throws(ClientError) {
        try await deleted(
            Call(.delete, "/api/v1/drives/\(watch.drive)/watches/\(watch.id)", isRepeatable: true))
    }

    /// The first files of a watched folder that cannot be filed, or could not be moved or marked.
    public func refusedFiles(of watch: DriveWatch) async throws(ClientError) -> [RefusedFile] {
        try await value(RefusedList.self, .get("/api/v1/drives/\(watch.drive)/watches/\(watch.id)/refused")).files
    }
}
