internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Sends the bytes of files for all interfaces. Access was checked before.
/// Requests for small files pass the tables on the way (ARCHITECTURE.md lists them) without leaving the event loop.
final class Downloads: Sendable {
    /// A range up to this size is read at once and sent with the head of the response.
    private static let wholeSize: Int64 = 256 * 1024
    /// Size of the pieces of larger ranges: large enough to be few, small enough for a thousand of them in memory.
    private static let pieceSize: Int64 = 256 * 1024
    /// How much of a text is looked at to find its character set.
    private static let examinedSize: Int64 = 64 * 1024
    /// The same damage is recorded once in this time.
    private static let incidentInterval = Duration.seconds(600)

    private let files: any FileLibrary
    private let accounts: any AccountStore
    /// See `HTTPServer.Settings.accelRedirect`.
    private let accelRedirect: String?
    private let logger: Logger
    private let verification = BlobVerification()
    private let recent = RecentBlobs()
    private let incidents = Mutex<[ContentDigest: ContinuousClock.Instant]>([:])
    /// Threads for calls that wait for the disk.
    private let threads = NIOThreadPool.singleton

    init(files: any FileLibrary, accounts: any AccountStore, accelRedirect: String? = nil, logger: Logger) {
        self.files = files
        self.accounts = accounts
        self.accelRedirect = accelRedirect
        self.logger = logger
    }

    /// Answers GET and HEAD. Throws `RequestError` when the blob is missing or damaged.
    /// - Parameter sends: bounds what is read ahead of the client.
    func response(_ content: ServedContent, to request: Request, over sends: StreamSends?) async throws -> Response {
        var content = content
        if content.isInline, content.contentType.hasPrefix("text/plain") {
            content.isUTF8 = try await beginsAsUTF8(content)
        }
        var headers = ContentHeaders.fields(of: content)
        switch Precondition(
            request.headers, entityTag: content.digest.entityTag, modifiedAt: content.modifiedAt, isReading: true)
        {
        case .notModified:
            headers[.contentType] = nil
            headers[.contentDisposition] = nil
            return Response(status: .notModified, headers: headers)
        case .failed: throw RequestError.preconditionFailed
        case .proceed: break
        }
        if let accelRedirect, content.path == nil {
            return try await redirect(content, headers, below: accelRedirect, request)
        }
        // Ranges are for GET alone (RFC 9110 §14.2).
        let field =
            request.method == .get ? Precondition.range(request.headers, entityTag: content.digest.entityTag) : nil
        switch field.map({ ByteRange($0, size: content.size) }) ?? .whole {
        case .unsatisfiable:
            throw RequestError(
                .rangeNotSatisfiable, "range", "the range lies outside the content",
                headers: [.contentRange: "bytes */\(content.size)", .acceptRanges: "bytes"])
        case .whole:
            return try await response(.ok, headers, content, 0..<content.size, request, sends)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
            return try await response(.partialContent, headers, content, range, request, sends)
        }
    }

    /// Neither mail nor uploads say it, and a browser that is not told guesses windows-1252.
    private func beginsAsUTF8(_ content: ServedContent) async throws -> Bool {
        let bytes = try await whole(content, 0..<min(content.size, Self.examinedSize)).readableBytesView
        // The last character may be cut where there is more; the longest takes four bytes.
        let longestCut = content.size > Self.examinedSize ? 3 : 0
        return (0...longestCut).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
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

    /// For HEAD: opens the file without verifying it, which may take a minute.
    private func checkPresence(of content: ServedContent) async throws {
        try await noting(content) {
            try await threads.runIfActive { [files, verification] in
                try verification.checkDamage(of: OpenBlob(content, in: files))
            }
        }
    }

    /// Reads a small range: at once when the blob was sent lately and is in memory, else on a thread that may block.
    private func whole(
        _ content: ServedContent, _ range: Range<Int64>, isCurrent: () async -> Bool = { true }
    ) async throws -> ByteBuffer {
        if let bytes = recent.read(content, range) { return bytes }
        return try await noting(content, isCurrent: isCurrent) {
            let (blob, identity, bytes) = try await threads.runIfActive { [self] in
                let blob = try OpenBlob(content, in: files)
                let identity = try blob.identity()
                return (blob, identity, try verification.isKnown(blob, as: identity) ? blob.read(range) : nil)
            }
            if let bytes {
                recent.keep(blob, verifiedAs: identity)
                return bytes
            }
            try await verification.verify(blob)
            return try await threads.runIfActive { try blob.read(range) }
        }
    }

    private func verified(
        _ content: ServedContent, isCurrent: () async -> Bool = { true }
    ) async throws -> OpenBlob {
        try await noting(content, isCurrent: isCurrent) {
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
                // When it is damaged, the connection ends here.
                try await writer.write(read(piece, of: blob))
                offset = piece.upperBound
            }
            try await writer.finish(nil)
        }
    }

    private func read(_ piece: Range<Int64>, of blob: OpenBlob) async throws -> ByteBuffer {
        do {
            // Touched since it was verified, perhaps only by a backup that linked it or a purge that unlinked it:
            // verified again.
            if try await !threads.runIfActive({ [verification] in
                try verification.isKnown(blob, as: blob.identity())
            }) {
                try await verification.verify(blob)
            }
            return try await threads.runIfActive { try blob.read(piece) }
        } catch {
            await note(error, blob.digest)
            throw error
        }
    }

    /// Reads one file piece by piece, verified as all downloads are.
    struct Reader {
        let downloads: Downloads
        let content: ServedContent
        /// Whether the library still knows these bytes. When it does not, they may be gone, and that is no damage.
        let isCurrent: @Sendable () async -> Bool
        private var blob: OpenBlob?

        init(_ downloads: Downloads, _ content: ServedContent, isCurrent: @escaping @Sendable () async -> Bool) {
            self.downloads = downloads
            self.content = content
            self.isCurrent = isCurrent
        }

        /// Reads these bytes; of a file without any, the empty range. Throws when the file is missing or damaged.
        mutating func read(_ range: Range<Int64>) async throws -> ByteBuffer {
            guard content.size > Downloads.wholeSize else {
                return try await downloads.whole(content, range, isCurrent: isCurrent)
            }
            let open: OpenBlob
            if let blob { open = blob } else { open = try await downloads.verified(content, isCurrent: isCurrent) }
            blob = open
            return try await downloads.read(range, of: open)
        }
    }

    /// nginx sends the file named by `X-Accel-Redirect` (an `internal` location with `alias` on the store's `blobs`),
    /// and answers range requests itself.
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
        _ content: ServedContent, isCurrent: () async -> Bool = { true }, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let damage as BlobError {
            guard await isCurrent() else { throw RequestError.notFound }
            await note(damage, content.digest)
            var failure = RequestError(.internalServerError, "damaged", "the file is damaged here; it was noted")
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
        let detail = (error as? BlobError)?.detail ?? "\(error)"
        logger.critical("blob \(digest.hex) is damaged: \(detail)")
        do {
            try await accounts.audit(actor: "server", action: "blob.damaged", subject: digest.hex, detail: detail)
        } catch {
            logger.error("the damage could not be written into the audit trail: \(error)")
        }
    }
}
