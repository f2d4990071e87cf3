internal import HTTPTypes

extension Session {
    /// Sends a new file, all of it in one request: for what is sent again from its beginning when the connection ends.
    ///
    /// Throws `conflict` when the name is taken, unless `ifTaken` says otherwise; `tooLarge`; `noSpaceOnServer`.
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - contentType: a media type. The server goes by name and bytes where it is `application/octet-stream`.
    public func upload(
        _ bytes: RequestBody, named name: String, contentType: String = "application/octet-stream", to place: Place,
        ifTaken: IfTaken = .refuse
    ) async throws(ClientError) -> File {
        do {
            return try await uploadOnce(bytes, named: name, contentType: contentType, to: place, ifTaken: ifTaken)
        } catch {
            // A folder that was moved into another fund is found there.
            guard error.code == .notFound, case .folder(let folder) = place else { throw error }
            let known = placeFunds[folder]
            placeFunds.forget(folder)
            guard try await self.folder(folder).fund != known else { throw error }
            return try await uploadOnce(bytes, named: name, contentType: contentType, to: place, ifTaken: ifTaken)
        }
    }

    private func uploadOnce(
        _ bytes: RequestBody, named name: String, contentType: String, to place: Place, ifTaken: IfTaken
    ) async throws(ClientError) -> File {
        let (fund, folder) = try await fundAndFolder(place)
        var call = Call(.post, "/api/v1/funds/\(fund)/files").patiently()
        call.query = [("name", name), ("if_taken", ifTaken.rawValue)]
        if let folder { call.query.append(("folder", "\(folder)")) }
        call.headers[.contentType] = contentType
        call.body = bytes.orEmpty
        return try await value(call)
    }

    /// Gives a file other bytes, all of them in one request; the file keeps its id, its name and its place, and what it
    /// had goes to the trash.
    ///
    /// Throws `preconditionFailed` when the file has other bytes than `digest` says; nothing is changed then. That also
    /// happens after a repetition whose first attempt was done: compare the file's digest.
    public func replaceContent(
        of file: FileID, with bytes: RequestBody, contentType: String = "application/octet-stream",
        ifMatch digest: Digest?
    ) async throws(ClientError) -> File {
        var call = Call(.put, "/api/v1/files/\(file)/content").patiently().ifMatch(digest.map { EntityTag($0) })
        call.headers[.contentType] = contentType
        call.body = bytes.orEmpty
        return try await value(call)
    }
}

extension RequestBody {
    /// An empty file is a body of no bytes, and not no body.
    fileprivate var orEmpty: RequestBody {
        if case .none = self { .bytes([]) } else { self }
    }
}
