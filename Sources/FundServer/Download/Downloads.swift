internal import HTTPTypes
internal import Hummingbird
package import FundCore
package import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The one way in which bytes of files reach clients, whichever face they came through. Who may see a file was decided before.
package final class Downloads: Sendable {
    /// Up to this size a range is read in one piece and sent with its header.
    private static let wholeSize: Int64 = 256 * 1024
    /// Pieces of larger ones: large enough to be few, small enough for a thousand of them in memory.
    private static let pieceSize: Int64 = 256 * 1024
    /// The same damage is written down once in this time.
    private static let incidentInterval = Duration.seconds(600)

    private let files: any FileLibrary
    private let accounts: any AccountStore
    /// See `HTTPServer.Settings.accelRedirect`.
    private let accelRedirect: String?
    private let logger: Logger
    private let verification = BlobVerification()
    private let recent = RecentBlobs()
    private let incidents = Mutex<[ContentDigest: ContinuousClock.Instant]>([:])
    /// For calls that wait for the disk.
    private let threads = NIOThreadPool.singleton

    package init(files: any FileLibrary, accounts: any AccountStore, accelRedirect: String? = nil, logger: Logger) {
        self.files = files
        self.accounts = accounts
        self.accelRedirect = accelRedirect
        self.logger = logger
    }

    /// Answers GET and HEAD. Throws `RequestFailure` when the bytes are not there or not the right ones.
    /// - Parameter sends: of the request's connection, which bounds what is read for it ahead of its client.
    func response(_ content: ServedContent, to request: Request, over sends: StreamSends?) async throws -> Response {
        var headers = ContentHeaders.fields(of: content)
        switch Precondition(
            request.headers, entityTag: content.entityTag, modifiedAt: content.modifiedAt, isReading: true)
        {
        case .notModified:
            headers[.contentType] = nil
            headers[.contentDisposition] = nil
            return Response(status: .notModified, headers: headers)
        case .failed: throw RequestFailure.preconditionFailed
        case .proceed: break
        }
        if let accelRedirect, content.path == nil {
            return try await redirect(content, headers, below: accelRedirect, request)
        }
        // Ranges are for GET alone (RFC 9110 §14.2).
        let field =
            request.method == .get ? Precondition.range(request.headers, entityTag: content.entityTag) : nil
        switch field.map({ ByteRange($0, size: content.size) }) ?? .whole {
        case .unsatisfiable:
            throw RequestFailure(
                .rangeNotSatisfiable, "range", "the range lies outside the content",
                headers: [.contentRange: "bytes */\(content.size)", .acceptRanges: "bytes"])
        case .whole:
            return try await response(.ok, headers, content, 0..<content.size, request, sends)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
            return try await response(.partialContent, headers, content, range, request, sends)
        }
    }

    private func response(
        _ status: HTTPResponse.Status, _ headers: HTTPFields, _ content: ServedContent, _ range: Range<Int64>,
        _ request: Request, _ sends: StreamSends?
    ) async throws -> Response {
        var headers = headers
        headers[.contentLength] = String(range.upperBound - range.lowerBound)
        guard request.method != .head else {
            try await checkPresence(of: content)
            return Response(status: status, headers: headers)
        }
        let size = Int(range.upperBound - range.lowerBound)
        if size <= Self.wholeSize, sends?.takeAtOnce(size) ?? true {
            do {
                let bytes = try await whole(content, range)
                return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
            } catch {
                sends?.release()
                throw error
            }
        }
        let blob = try await verified(content)
        return Response(status: status, headers: headers, body: stream(blob, range, sends))
    }

    /// No byte of it is sent, so none is looked at: its hash may take a minute.
    private func checkPresence(of content: ServedContent) async throws {
        try await noting(content) {
            try await threads.runIfActive { [files, verification] in
                try verification.checkDamage(of: OpenBlob(content, in: files))
            }
        }
    }

    /// At once for a blob that was sent lately and is in memory; else with one turn on another thread for one that is known.
    private func whole(_ content: ServedContent, _ range: Range<Int64>) async throws -> ByteBuffer {
        if let bytes = recent.read(content, range, verification) { return bytes }
        return try await noting(content) {
            let (blob, bytes) = try await threads.runIfActive { [self] in
                let blob = try OpenBlob(content, in: files)
                return (blob, try verification.isKnown(blob) ? try blob.read(range) : nil)
            }
            if let bytes {
                recent.keep(blob)
                return bytes
            }
            try await verification.verify(blob)
            return try await threads.runIfActive { try blob.read(range) }
        }
    }

    private func verified(_ content: ServedContent) async throws -> OpenBlob {
        try await noting(content) {
            let blob = try await threads.runIfActive { [files] in try OpenBlob(content, in: files) }
            try await verification.verify(blob)
            return blob
        }
    }

    private func stream(_ blob: OpenBlob, _ range: Range<Int64>, _ sends: StreamSends?) -> ResponseBody {
        ResponseBody(contentLength: Int(range.upperBound - range.lowerBound)) { [self] writer in
            var offset = range.lowerBound
            while offset < range.upperBound {
                let wanted = Int(min(Self.pieceSize, range.upperBound - offset))
                let granted = try await sends?.take(upTo: wanted) ?? wanted
                let piece = offset..<(offset + Int64(granted))
                let bytes: ByteBuffer
                do {
                    // Touched since it was hashed, if only by a backup that links it or a purge that unlinks it: hashed again.
                    // When it is damaged the connection ends here.
                    if try await !threads.runIfActive({ [verification] in try verification.isKnown(blob) }) {
                        try await verification.verify(blob)
                    }
                    bytes = try await threads.runIfActive { try blob.read(piece) }
                } catch {
                    await note(error, blob.digest)
                    throw error
                }
                try await writer.write(bytes)
                offset = piece.upperBound
            }
            try await writer.finish(nil)
        }
    }

    /// nginx sends the file that this names (`internal` location with `alias` on the store's `blobs`). Ranges are its affair.
    private func redirect(
        _ content: ServedContent, _ headers: HTTPFields, below prefix: String, _ request: Request
    ) async throws -> Response {
        if request.method == .head { try await checkPresence(of: content) } else { _ = try await verified(content) }
        var headers = headers
        let hex = content.digest.hex
        headers[.accelRedirect] = "\(prefix)\(hex.prefix(2))/\(hex.dropFirst(2))"
        return Response(status: .ok, headers: headers)
    }

    // MARK: Incidents

    private func noting<Value: Sendable>(
        _ content: ServedContent, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let damage as OpenBlob.Damage {
            await note(damage, content.digest)
            var failure = RequestFailure(.internalServerError, "damaged", "the file is damaged here; it was noted")
            failure.cause = "blob \(content.digest.hex): \(damage.detail)"
            throw failure
        }
    }

    private func note(_ error: any Error, _ digest: ContentDigest) async {
        let now = ContinuousClock.now
        let isNew = incidents.withLock { incidents in
            if let last = incidents[digest], now - last < Self.incidentInterval { return false }
            incidents[digest] = now
            return true
        }
        guard isNew else { return }
        let detail = (error as? OpenBlob.Damage)?.detail ?? "\(error)"
        logger.critical("blob \(digest.hex) is damaged: \(detail)")
        do {
            try await accounts.audit(actor: "server", action: "blob.damaged", subject: digest.hex, detail: detail)
        } catch {
            logger.error("the damage could not be written into the audit trail: \(error)")
        }
    }
}
