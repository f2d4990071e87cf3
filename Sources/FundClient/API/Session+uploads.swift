public import Foundation
internal import HTTPTypes

extension Session {
    /// Sends a new file, all of it in one request: for what is sent again from its beginning when the connection ends.
    ///
    /// Throws `conflict` when the name is taken, unless `ifTaken` says otherwise; `tooLarge`; `noSpaceOnServer`.
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - contentType: a media type. The server goes by name and bytes where it is `application/octet-stream`.
    ///   - modifiedAt: when the file was changed last; nil for now.
    public func upload(
        _ bytes: RequestBody, named name: String, contentType: String = "application/octet-stream", to place: Place,
        ifTaken: IfTaken = .refuse, modifiedAt: Date? = nil
    ) async throws(ClientError) -> File {
        func attempt() async throws(ClientError) -> File {
            try await uploadOnce(
                bytes, named: name, contentType: contentType, to: place, ifTaken: ifTaken, modifiedAt: modifiedAt)
        }
        do {
            return try await attempt()
        } catch {
            // A folder that was moved into another fund is found there.
            guard error.code == .notFound, case .folder(let folder) = place else { throw error }
            let known = placeFunds[folder]
            placeFunds.forget(folder)
            guard try await self.folder(folder).fund != known else { throw error }
            return try await attempt()
        }
    }

    private func uploadOnce(
        _ bytes: RequestBody, named name: String, contentType: String, to place: Place, ifTaken: IfTaken,
        modifiedAt: Date?
    ) async throws(ClientError) -> File {
        let (fund, folder) = try await fundAndFolder(place)
        var call = Call(.post, "/api/v1/funds/\(fund)/files").uploading(bytes).modified(at: modifiedAt)
        call.query += [("name", name), ("if_taken", ifTaken.rawValue)]
        if let folder { call.query.append(("folder", "\(folder)")) }
        call.headers[.contentType] = contentType
        return try await value(call)
    }

    /// Gives a file other bytes, all of them in one request; the file keeps its id, its name and its place, and what it
    /// had goes to the trash.
    ///
    /// Throws `preconditionFailed` when the file has other bytes than `digest` says; nothing is changed then. That also
    /// happens after a repetition whose first attempt was done: compare the file's digest.
    public func replaceContent(
        of file: FileID, with bytes: RequestBody, contentType: String = "application/octet-stream",
        ifMatch digest: Digest?, modifiedAt: Date? = nil
    ) async throws(ClientError) -> File {
        var call = Call(.put, "/api/v1/files/\(file)/content").uploading(bytes).modified(at: modifiedAt)
            .ifMatch(digest.map { EntityTag($0) })
        call.headers[.contentType] = contentType
        return try await value(call)
    }
}

extension Call {
    /// Adds when the file was changed last, as this side has it.
    func modified(at time: Date?) -> Call {
        guard let time else { return self }
        var call = self
        call.query.append(("modified_at", "\(time.secondsSince1970)"))
        return call
    }

    /// The call with the bytes of a file as its body. After few of them the server answers at once; a connection that
    /// is dead and does not say so is found out by that.
    fileprivate func uploading(_ bytes: RequestBody) -> Call {
        var call = self
        call.body = bytes.orEmpty
        return bytes.length > Self.maxPromptBytes ? call.patiently() : call
    }

    /// Bytes that servers have on their disk in much less than `idleTimeout`.
    private static let maxPromptBytes: Int64 = 16 << 20
}

extension RequestBody {
    fileprivate var length: Int64 {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let length, _): length
        }
    }

    /// An empty file is a body of no bytes, and not no body.
    fileprivate var orEmpty: RequestBody {
        if case .none = self { .bytes([]) } else { self }
    }
}
