internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// Previews of files in drives: made of a copy that goes again, and kept nowhere.
extension UserCall {
    /// How long a request for a part of a preview waits for the copy.
    private static var longestCopy: Duration { .seconds(25) }

    /// The copy of a file in a drive; nil while it is on its way after `wait`.
    ///
    /// Throws `DriveError`, and `RenditionFailure` for a file of which nothing can be shown. Throws 422 where this
    /// server makes no previews.
    /// - Parameter entry: as the store has just listed it; nil asks the store, unless the copy is there.
    func transientFile(
        at path: DrivePath, of drive: Drive.ID, _ entry: DriveEntry? = nil, waitingAtMost wait: Duration
    ) async throws -> (any TransientFile)? {
        guard let source = parts.previews?.source else { throw RequestError.previewsOff }
        let (operations, user) = (try driveOperations, try userID)
        let place = DrivePreviews.Place(user: user, drive: drive, path: path)
        if entry == nil, let known = parts.drivePreviews.known(place) { return known }
        let found: DriveEntry
        if let entry { found = entry } else { found = try await driveEntry(at: path, of: drive) }
        guard !found.isFolder else { throw DriveError(.name, "a folder has no preview") }
        let size = found.size
        guard size ?? 0 <= DrivePreviews.maxBytes else { throw RenditionFailure.tooLarge }
        return try await parts.drivePreviews.file(place, found.contentMark, waitingAtMost: wait) {
            try await source.transientFile(of: size, atMost: DrivePreviews.maxBytes) { take in
                try await operations.read(path, from: 0, size: size, of: drive, user, take: take)
            }
        }
    }

    /// The copy of the file that the query names by `path`, for one part of its preview. Throws as `transientFile`, and
    /// 503 where the store takes long.
    private func copiedFile(_ query: QueryText) async throws -> any TransientFile {
        let drive = try await drive().id
        let file = try await transientFile(
            at: try driveItem(query["path"]), of: drive, waitingAtMost: Self.longestCopy)
        guard let file else { throw RequestError.busy }
        return file
    }

    /// A page or picture of the file that the query names by `path`, `page` and `size`.
    func drivePreview() async throws -> Response {
        let query = try query()
        guard let kind = RenditionKind(pixels: Int(try query.number("size") ?? 1600)) else {
            throw RequestError.invalid("size must be 480, 1600 or 2560")
        }
        let (page, file) = (try previewPage(query), try await copiedFile(query))
        let bytes = try await parts.drivePreviews.making(for: try userID) { try await file.picture(kind, page: page) }
        return Self.passing(bytes, "image/webp")
    }

    /// The words of a page of the file that the query names by `path` and `page`.
    func driveWords() async throws -> [UInt8] {
        let query = try query()
        let (page, file) = (try previewPage(query), try await copiedFile(query))
        return try await parts.drivePreviews.making(for: try userID) { try await file.words(page: page) }
    }

    /// An answer that no cache keeps: its file is not the server's.
    static func passing(_ bytes: [UInt8], _ type: String) -> Response {
        let headers: HTTPFields = [
            .xContentTypeOptions: "nosniff", .contentSecurityPolicy: ContentHeaders.policy,
        ]
        return Response(.ok, type, ByteBuffer(bytes: bytes), headers: headers)
    }
}
