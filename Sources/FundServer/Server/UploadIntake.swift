package import Hummingbird
package import Ingest
internal import NIOCore
internal import NIOPosix

/// Takes the body of a request into the store, without keeping it in memory.
package struct UploadIntake: Sendable {
    /// Written in one turn on a thread that may block.
    private static let pieceSize = 512 * 1024

    private let files: any FileLibrary
    private let maxBytes: Int64
    private let threads = NIOThreadPool.singleton

    package init(files: any FileLibrary, limits: ServerLimits) {
        self.files = files
        maxBytes = limits.maxUploadBytes
    }

    /// All of the body, on disk and in no row yet. Throws when it is too large or ends early; nothing stays then.
    package func receive(_ request: Request, contentType: String) async throws -> StagedUpload {
        let announced = request.headers[.contentLength].flatMap(Int64.init)
        if let announced, announced > maxBytes { throw RequestFailure.tooLarge }
        let writer = try await threads.runIfActive { [files] in try files.makeUpload() }
        var received: Int64 = 0
        var pending = ByteBuffer()
        for try await var bytes in request.body {
            received += Int64(bytes.readableBytes)
            guard received <= maxBytes else { throw RequestFailure.tooLarge }
            pending.writeBuffer(&bytes)
            if pending.readableBytes >= Self.pieceSize {
                try await append(pending, to: writer)
                pending.clear()
            }
        }
        if let announced, announced != received { throw RequestFailure.invalid("the body ended early") }
        try await append(pending, to: writer)
        return try await threads.runIfActive { try writer.finish(contentType: contentType) }
    }

    /// A file without content.
    func receiveNothing(contentType: String) async throws -> StagedUpload {
        try await threads.runIfActive { [files] in try files.makeUpload().finish(contentType: contentType) }
    }

    private func append(_ bytes: ByteBuffer, to writer: any UploadWriter) async throws {
        guard bytes.readableBytes > 0 else { return }
        try await threads.runIfActive { try bytes.withUnsafeReadableBytes { try writer.append($0) } }
    }
}
