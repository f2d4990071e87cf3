internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Writes the body of a request into the store without holding a large one in memory.
struct UploadIntake: Sendable {
    /// Interval at which an upload checks that its user may still send it.
    private static let checkInterval = Duration.seconds(5)
    /// Bytes written by one call on a thread that may block.
    private static let pieceSize = 512 * 1024

    let files: any UploadStaging
    let limits: ServerLimits

    /// The whole body, without a row yet. Throws when it is too large or ends early; then nothing is kept.
    /// - Parameters:
    ///   - name: that the file is to have.
    ///   - checkUser: throws when the user may not send any more. Called while the bytes come and when all have
    ///     come.
    func receive(
        _ request: Request, _ context: ServerContext, named name: String, contentType: String,
        checkUser: () async throws -> Void
    ) async throws -> StagedUpload {
        let announced = try request.headers[.contentLength].map { text in
            // A number that does not fit is too large as well.
            guard let bytes = Int64(text), bytes <= limits.maxUploadBytes else { throw RequestError.tooLarge }
            return bytes
        }
        context.connection.beginUpload()
        var body = request.body.makeAsyncIterator()
        return try await receive(
            named: name, announcing: announced, contentType: contentType, next: { try await body.next() },
            checkUser: checkUser)
    }

    /// A file that is a part of a body, without a row yet.
    /// - Parameters:
    ///   - announced: bytes of the file; nil when they are not known before the end.
    ///   - next: gives some of the bytes; nil at the end.
    func receive(
        named name: String, announcing announced: Int64? = nil, contentType: String,
        next: () async throws -> ByteBuffer?,
        checkUser: () async throws -> Void
    ) async throws -> StagedUpload {
        let writer = try await BlockingThreads.run { [files] in try files.makeUpload(named: name, announcing: announced)
        }
        var received: Int64 = 0
        var pending = ByteBuffer()
        var checkedAt = ContinuousClock.now
        while var bytes = try await next() {
            received += Int64(bytes.readableBytes)
            guard received <= limits.maxUploadBytes else { throw RequestError.tooLarge }
            if ContinuousClock.now - checkedAt >= Self.checkInterval {
                try await checkUser()
                checkedAt = .now
            }
            pending.writeBuffer(&bytes)
            if pending.readableBytes >= Self.pieceSize {
                try await append(pending, to: writer)
                pending.clear()
            }
        }
        if let announced, announced != received { throw RequestError.invalid("the body ended early") }
        try await append(pending, to: writer)
        try await checkUser()
        return try await BlockingThreads.run { try writer.finish(contentType: contentType) }
    }

    /// An empty file.
    func receiveNothing(named name: String, contentType: String) async throws -> StagedUpload {
        try await BlockingThreads.run {
            try files.makeUpload(named: name, announcing: 0).finish(contentType: contentType)
        }
    }

    private func append(_ bytes: ByteBuffer, to writer: any UploadWriter) async throws {
        guard bytes.readableBytes > 0 else { return }
        try await BlockingThreads.run { try bytes.withUnsafeReadableBytes { try writer.append($0) } }
    }
}
