internal import Ingest
internal import NIOCore

/// Takes a request's body into the store, on a queue of its own: writing blocks.
actor UploadReceiver {
    /// What is gathered before it is written: a body comes in pieces of some kilobytes.
    private static let writeBytes = 256 * 1024

    private let executor = QueueExecutor(label: "upload")
    private let library: any FileLibrary
    private var writer: (any UploadWriter)?
    private var pending = ByteBuffer()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(_ library: any FileLibrary) { self.library = library }

    /// All of `body`. Throws 413 beyond `limit` bytes, and whatever the connection or the store throw; then nothing is left.
    static func receive<Body: AsyncSequence & Sendable>(
        _ body: Body, limit: Int64, contentType: String, into library: any FileLibrary
    ) async throws -> StagedUpload where Body.Element == ByteBuffer {
        let receiver = UploadReceiver(library)
        var total: Int64 = 0
        for try await part in body {
            total += Int64(part.readableBytes)
            guard total <= limit else { throw RequestFailure.tooLarge }
            try await receiver.take(part)
        }
        return try await receiver.finish(contentType: contentType)
    }

    private func take(_ part: ByteBuffer) throws {
        pending.writeImmutableBuffer(part)
        if pending.readableBytes >= Self.writeBytes { try flush() }
    }

    private func finish(contentType: String) throws -> StagedUpload {
        try flush()
        return try writerInUse().finish(contentType: contentType)
    }

    private func flush() throws {
        let writer = try writerInUse()
        try pending.withUnsafeReadableBytes { bytes in
            if !bytes.isEmpty { try writer.append(bytes) }
        }
        pending.clear()
    }

    private func writerInUse() throws -> any UploadWriter {
        if let writer { return writer }
        let writer = try library.makeUpload()
        self.writer = writer
        return writer
    }
}
