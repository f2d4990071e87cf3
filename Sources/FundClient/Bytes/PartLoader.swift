/// Loads the missing bytes of a part, and checks the whole. One attempt: the caller retries.
struct PartLoader: Sendable {
    enum Result: Sendable {
        /// All bytes are there, and are those that the server names. The digest is the known one, or that of the bytes
        /// where none was known.
        case whole(Digest, size: Int64)
        /// The server has another content than the part; nothing was written.
        case other(Digest)
    }

    /// Pieces of the network are gathered to this size before they go to the disk.
    private static let gatheredBytes = 256 << 10

    let part: PartFile
    let meter: TransferMeter
    /// Size of the whole where it is known: a part of that size needs no request.
    var size: Int64?
    /// The whole is on the disk before it is reported.
    var isFlushed = true
    /// Begins to load the content, see `Session.content(of:from:ifRange:)`.
    let content: @Sendable (_ offset: Int64, _ digest: Digest?) async throws(ClientError) -> Content
    /// Told how many bytes are to come; throws where there is no room for them.
    var reserve: @Sendable (_ missing: Int64) throws(ClientError) -> Void = { _ in }

    /// - Parameter known: content of the part; nil for none, which begins anew.
    func run(known: Digest?) async throws(ClientError) -> Result {
        var count = try await part.begin(isResumed: known != nil, maxBytes: size ?? .max)
        if known != nil, count == size {
            meter.set(count, size)
            return try await check(known)
        }
        let content: Content
        do {
            content = try await self.content(count, known)
        } catch {
            guard error.status == 416 else { throw error }
            // The part reaches the end of the content on the server, or goes beyond.
            return try await check(known)
        }
        if let digest = content.digest, digest != known { return .other(digest) }
        if content.offset != count { count = try await part.begin(isResumed: false) }
        meter.set(count, content.totalSize ?? size)
        try reserve((content.totalSize ?? 0) - count)
        let missing = (size ?? content.totalSize).map { $0 - count }
        let (rest, taken) = try await take(content.body, upTo: missing)
        if let missing, taken != missing {
            try await part.append(rest)
            throw ClientError(.interrupted, "\(missing - taken) bytes are missing")
        }
        return try await check(known, rest)
    }

    private func check(_ known: Digest?, _ rest: [UInt8] = []) async throws(ClientError) -> Result {
        let (digest, size) = try await part.finish(rest, isFlushed: isFlushed)
        guard let known, digest != known else { return .whole(digest, size: size) }
        // A part with wrong bytes cannot be resumed.
        _ = try await part.begin(isResumed: false)
        throw ClientError(.damaged, "other bytes came than the server has: SHA-256 \(digest), not \(known)")
    }

    /// Writes pieces while the next ones come.
    /// - Returns: the last bytes, which are not written yet, and how many came in all.
    private func take(
        _ body: ContentBody, upTo maxBytes: Int64?
    ) async throws(ClientError) -> (rest: [UInt8], count: Int64) {
        var (writing, gathered, count): (Task<Void, any Error>?, [UInt8], Int64) = (nil, [], 0)
        do {
            for try await piece in body {
                count += Int64(piece.count)
                guard count <= maxBytes ?? .max else {
                    throw ClientError(.protocolViolation, "more bytes came than the content has")
                }
                meter.add(piece.count)
                gathered += piece
                guard gathered.count >= Self.gatheredBytes else { continue }
                try await writing?.value
                writing = Task { [part, gathered] in try await part.append(gathered) }
                gathered = []
                gathered.reserveCapacity(Self.gatheredBytes + 65_536)
            }
            try await writing?.value
            return (gathered, count)
        } catch {
            // The bytes that came are kept for the next attempt.
            do { try await writing?.value } catch { throw ClientError(local: error) }
            try await part.append(gathered)
            throw ClientError(local: error)
        }
    }
}
