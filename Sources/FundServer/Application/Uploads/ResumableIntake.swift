internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Writes the body of a request behind what an upload has already. What came stays, however the request ends.
struct ResumableIntake: Sendable {
    /// Interval at which an upload checks that its user may still send it.
    private static let checkInterval = Duration.seconds(5)
    /// Bytes written by one call on a thread that may block.
    private static let pieceSize = 512 * 1024
    /// Bytes after which what came is made durable, and the client told.
    private static let durableStep: Int64 = 64 * 1024 * 1024

    let table = UploadTable()
    let limits: ServerLimits

    init(limits: ServerLimits) { self.limits = limits }

    /// The limits of the server, for `Upload-Limit` (§4.1.4 of the draft).
    func limitField(endsIn remaining: Duration? = nil) -> String {
        let age = remaining.map { ", max-age=\(max(0, $0.components.seconds))" } ?? ""
        return "max-size=\(limits.maxUploadBytes)\(age)"
    }

    /// Takes the whole body. When this throws, what came of it stays in the upload, which is closed where the store
    /// failed.
    ///
    /// - Parameters:
    ///   - length: of the whole, if it is known. Throws 400 when more comes.
    ///   - checkUser: throws when the user may not send any more.
    func receive(
        _ request: Request, _ context: ServerContext, _ fields: UploadFields, into upload: any OpenUpload,
        _ access: UploadAccess, length: Int64?, checkUser: () async throws -> Void
    ) async throws {
        let start = upload.offset
        try await run { try upload.beginRequest(announcing: fields.contentLength ?? length.map { $0 - start }) }
        defer { upload.endRequest() }
        try await access.interruptible({ [connection = context.connection] in connection.close() }) {
            context.connection.beginUpload()
            var (pending, body) = (ByteBuffer(), request.body.makeAsyncIterator())
            var (received, synced, checkedAt) = (start, start, ContinuousClock.now)
            do {
                while var bytes = try await body.next() {
                    received += Int64(bytes.readableBytes)
                    guard received <= limits.maxUploadBytes else { throw RequestError.tooLarge }
                    guard received <= length ?? .max else { throw UploadProblem.inconsistentLength }
                    if ContinuousClock.now - checkedAt >= Self.checkInterval {
                        try await checkUser()
                        checkedAt = .now
                    }
                    pending.writeBuffer(&bytes)
                    access.note(unwrittenBytes: pending.readableBytes)
                    guard pending.readableBytes >= Self.pieceSize else { continue }
                    try await append(pending, to: upload, access)
                    pending.clear()
                    access.note(unwrittenBytes: 0)
                    if fields.knowsDraft, !context.isMultiplexed, upload.offset - synced >= Self.durableStep {
                        synced = try await run { try upload.sync() }
                        context.tell([.uploadOffset: "\(synced)"])
                    }
                }
            } catch {
                // Also when the request was cancelled with its connection, which ends waits for other threads.
                let rest = pending
                await Task { try? await append(rest, to: upload, access) }.value
                throw error
            }
            try await append(pending, to: upload, access)
        }
        if let announced = fields.contentLength, announced != upload.offset - start {
            throw RequestError.invalid("the body ended early")
        }
        try await checkUser()
    }

    private func append(_ bytes: ByteBuffer, to upload: any OpenUpload, _ access: UploadAccess) async throws {
        guard bytes.readableBytes > 0, access.upload === upload else { return }
        do {
            try await run { try bytes.withUnsafeReadableBytes { try upload.append($0) } }
        } catch {
            // How much was written is known again when it is opened.
            access.keep(nil)
            throw error
        }
    }

    /// On a thread that may block.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await BlockingThreads.run { try work() }
    }
}

extension ServerContext {
    /// Sends 104 (Upload Resumption Supported) to a client that knows the draft.
    func tell(_ fields: HTTPFields) {
        var head = HTTPResponse(status: .uploadResumptionSupported, headerFields: fields)
        head.headerFields[.uploadDraftInteropVersion] = "\(UploadFields.interopVersion)"
        connection.send(interim: head)
    }
}
