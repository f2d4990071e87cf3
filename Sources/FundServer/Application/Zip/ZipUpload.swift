internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// Writes a zip file into an upload instead of an answer.
private struct ZipUpload: ResponseBodyWriter {
    let upload: any UploadWriter

    mutating func write(_ buffer: ByteBuffer) async throws {
        try await BlockingThreads.run { [upload] in
            try buffer.withUnsafeReadableBytes { try upload.append($0) }
        }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension ZipFiles {
    /// Makes a zip file that goes along with a letter, and gives the contents of the files in it. Throws the errors of
    /// `response`, and `invalid` for one that is larger than `maxBytes`.
    func upload(
        _ selection: ZipSelection, named name: String, atMost maxBytes: Int64, of user: User.ID
    ) async throws -> (upload: StagedUpload, sources: [ContentDigest]) {
        let (plan, share) = try await plan(selection, of: user)
        defer { withExtendedLifetime(share) {} }
        if let length = try plan.length(), length > maxBytes {
            throw StoreError(
                "make a zip file",
                InputProblem(.letterTooLarge, "the zip file would have \(length) bytes, and may have \(maxBytes)"))
        }
        let library = uploads
        let upload = try await BlockingThreads.run { try library.makeUpload(named: name, announcing: nil) }
        var writer: any ResponseBodyWriter = ZipUpload(upload: upload)
        var stream = ZipStream(
            plan: plan, library: self.library, downloads: downloads, user: user, sends: nil, isAllowed: { true })
        try await stream.send(to: &writer)
        let sources = plan.items.compactMap { item in
            if case .file(_, let digest) = item.content { digest } else { nil }
        }
        return (try await BlockingThreads.run { try upload.finish(contentType: "application/zip") }, sources)
    }
}
