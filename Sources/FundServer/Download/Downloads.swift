internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Logging
internal import Synchronization

/// Sends the bytes of files for all interfaces. Access was checked before.
/// Requests for small files pass the tables on the way (ARCHITECTURE.md lists them) without leaving the event loop.
final class Downloads: Sendable {
    /// A range up to this size is read at once and sent with the head of the response.
    private static let wholeSize: Int64 = 256 * 1024
    /// Size of the pieces of larger ranges: large enough to be few, small enough for a thousand of them in memory.
    private static let pieceSize: Int64 = 256 * 1024
    /// Size of those that are sent from where they stand, without taking memory.
    private static let regionSize: Int64 = 1024 * 1024
    /// Fewer bytes are copied faster than they are sent from where they stand.
    private static let minRegionSize: Int64 = 64 * 1024
    /// How much of a text is looked at to find its character set.
    private static let examinedSize: Int64 = 64 * 1024
    /// Interval in which one damage is recorded once.
    private static let incidentInterval = Duration.seconds(600)

    private let files: any ContentReading
    private let accounts: any AccountStore
    private let logger: Logger
    private let recent = RecentContents()
    private let incidents = Mutex<[ContentDigest: ContinuousClock.Instant]>([:])

    init(files: any ContentReading, accounts: any AccountStore, logger: Logger) {
        self.files = files
        self.accounts = accounts
        self.logger = logger
    }

    /// Answers GET and HEAD. Throws `RequestError` when it is missing or damaged.
    /// - Parameter sends: bounds what is read ahead of the client.
    func response(_ content: ServedContent, to request: Request, over sends: StreamSends?) async throws -> Response {
        var content = content
        if content.isInline, content.contentType.hasPrefix("text/plain") {
            content.isUTF8 = try await beginsAsUTF8(content)
        }
        switch try Plan(content, for: request.head) {
        case .nothing(let status, let headers):
            // A client with a copy is not told that it is good while the content is kept from people.
            try await checkPresence(of: content)
            return Response(status: status, headers: headers)
        case .bytes(let status, let headers, let range):
            return try await response(status, headers, content, range, request, sends)
        }
    }

    /// The answer to a request for a content, by the fields of the request.
    private enum Plan {
        case nothing(HTTPResponse.Status, HTTPFields)
        case bytes(HTTPResponse.Status, HTTPFields, Range<Int64>)

        /// Throws 412 and 416.
        init(_ content: ServedContent, for request: HTTPRequest) throws {
            var headers = ContentHeaders.fields(of: content)
            let tag = headers[.eTag] ?? content.digest.entityTag
            switch Precondition(
                request.headerFields, entityTag: tag, modifiedAt: content.modifiedAt, isReading: true)
            {
            case .notModified:
                headers[.contentType] = nil
                headers[.contentDisposition] = nil
                self = .nothing(.notModified, headers)
                return
            case .failed: throw RequestError.preconditionFailed
            case .proceed: break
            }
            // Ranges are for GET alone (RFC 9110 §14.2).
            let field = request.method == .get ? Precondition.range(request.headerFields, entityTag: tag) : nil
            switch field.map({ ByteRange($0, size: content.size) }) ?? .whole {
            case .unsatisfiable:
                throw RequestError(
                    .rangeNotSatisfiable, "range", "the range lies outside the content",
                    headers: [.contentRange: "bytes */\(content.size)", .acceptRanges: "bytes"])
            case .whole:
                headers[.contentLength] = String(content.size)
                self = .bytes(.ok, headers, 0..<content.size)
            case .part(let range):
                headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
                headers[.contentLength] = String(range.count)
                self = .bytes(.partialContent, headers, range)
            }
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
        guard request.method != .head else {
            try await checkPresence(of: content)
            return Response(status: status, headers: headers)
        }
        if let body = bodyInMemory(content, range, sends) {
            return Response(status: status, headers: headers, body: body)
        }
        let size = range.count
        if size <= Self.wholeSize, sends?.takeAtOnce(size) ?? true {
            do {
                let bytes = try await whole(content, range)
                return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
            } catch {
                sends?.release()
                throw error
            }
        }
        let open: OpenContent
        if let known = recent[content] { open = known } else { open = try await self.open(content) }
        return Response(status: status, headers: headers, body: stream(open, range, sends))
    }

    /// The body of a large range whose beginning needs no waiting for the disk.
    private func bodyInMemory(
        _ content: ServedContent, _ range: Range<Int64>, _ sends: StreamSends?
    ) -> ResponseBody? {
        guard range.count >= Self.minRegionSize, let sends, let open = recent[content] else { return nil }
        let beginning = range.lowerBound..<min(range.upperBound, range.lowerBound + Self.regionSize)
        guard sends.takesRegions else {
            let isReady = range.count > Self.wholeSize && open.region(beginning) != nil
            return isReady ? stream(open, range, sends) : nil
        }
        guard let region = open.region(beginning), sends.takeAtOnce(region.count) else { return nil }
        sends.expectRegion()
        return stream(open, range, sends, beginningWith: region)
    }

    /// For HEAD: does not read the bytes, which may take a minute.
    private func checkPresence(of content: ServedContent) async throws { _ = try await open(content) }

    /// Reads a small range: at once when the content was sent lately and is in memory, else on a thread that may block.
    private func whole(
        _ content: ServedContent, _ range: Range<Int64>, isCurrent: () async -> Bool = { true }
    ) async throws -> ByteBuffer {
        if let bytes = recent[content]?.readWithoutWaiting(range) { return bytes }
        return try await noting(content, isCurrent: isCurrent) {
            let (open, bytes) = try await BlockingThreads.run { [files] in
                let open = try OpenContent(content, in: files)
                return (open, try open.read(range))
            }
            recent.keep(open)
            return bytes
        }
    }

    private func open(
        _ content: ServedContent, isCurrent: () async -> Bool = { true }
    ) async throws -> OpenContent {
        try await noting(content, isCurrent: isCurrent) {
            try await BlockingThreads.run { [files] in try OpenContent(content, in: files) }
        }
    }

    /// - Parameter first: of the range, for which room is reserved.
    private func stream(
        _ content: OpenContent, _ range: Range<Int64>, _ sends: StreamSends?, beginningWith first: StoredRegion? = nil
    ) -> ResponseBody {
        sends?.expectPieces()
        return ResponseBody(contentLength: range.count) { [self] writer in
            var offset = range.lowerBound
            if let first, let sends {
                try await Self.write(first, to: &writer, sends)
                offset += Int64(first.count)
            }
            var pieceSize = first == nil ? Self.pieceSize : Self.regionSize
            while offset < range.upperBound {
                let wanted = Int(min(pieceSize, range.upperBound - offset))
                let granted = try await sends?.take(upTo: wanted) ?? wanted
                let piece = offset..<(offset + Int64(granted))
                if let sends, sends.takesRegions, let region = content.region(piece) {
                    pieceSize = Self.regionSize
                    try await Self.write(region, to: &writer, sends)
                } else {
                    pieceSize = Self.pieceSize
                    // When it is damaged, the connection ends here.
                    try await writer.write(read(piece, of: content))
                }
                // Not before something was read: until then it keeps its file open.
                if offset == range.lowerBound { recent.keep(content) }
                offset = piece.upperBound
            }
            try await writer.finish(nil)
        }
    }

    private static func write(
        _ region: StoredRegion, to writer: inout any ResponseBodyWriter, _ sends: StreamSends
    ) async throws {
        sends.substitute(region)
        try await writer.write(ByteBuffer())
    }

    private func read(_ piece: Range<Int64>, of content: OpenContent) async throws -> ByteBuffer {
        if let bytes = content.readWithoutWaiting(piece) { return bytes }
        do {
            return try await BlockingThreads.run { try content.read(piece) }
        } catch {
            // Deleted for good while it is sent: no damage.
            if (error as? StoreError)?.code != .notFound { await note(error, content.digest) }
            throw error
        }
    }

    /// Reads one file piece by piece.
    struct Reader {
        let downloads: Downloads
        let content: ServedContent
        /// Whether the library still knows these bytes. When it does not, they may be gone, and that is no damage.
        let isCurrent: @Sendable () async -> Bool
        private var opened: OpenContent?

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
            let open: OpenContent
            if let opened { open = opened } else { open = try await downloads.open(content, isCurrent: isCurrent) }
            opened = open
            return try await downloads.read(range, of: open)
        }
    }

    // MARK: Incidents

    private func noting<Value: Sendable>(
        _ content: ServedContent, isCurrent: () async -> Bool = { true }, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let damage as DamageError {
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
        let detail = (error as? DamageError)?.detail ?? "\(error)"
        logger.critical("blob \(digest.hex) is damaged: \(detail)")
        do {
            try await accounts.audit(actor: "server", action: .blobDamaged, subject: digest.hex, detail: detail)
        } catch {
            logger.error("the damage could not be written into the audit trail: \(error)")
        }
    }
}
