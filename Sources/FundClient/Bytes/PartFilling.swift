internal import Foundation

/// Loads what is missing of a part, and checks the whole.
struct PartFilling: Sendable {
    enum Result: Sendable {
        /// All is there, is what the server says, and is on the disk. Nil where the server does not say what it is.
        case whole(Digest?)
        /// The server has other bytes than those of which the part is; nothing was written.
        case other(Digest)
    }

    /// Pieces of the network are gathered to that before they go to the disk.
    private static let gatheredBytes = 256 << 10

    let part: PartFile
    let source: ContentSource
    let server: any TransferServer
    let meter: TransferMeter

    /// - Parameter known: of the content of which the part is; nil when it is of none.
    func run(known: Digest?) async throws(ClientError) -> Result {
        if known == nil { try await part.beginAnew() } else { try await part.readWhatIsThere() }
        let content: Content
        do {
            content = try await server.content(of: source, from: part.count, ifRange: known)
        } catch {
            guard error.status == 416 else { throw error }
            // What is there reaches the end, as the server has it, or goes beyond.
            return try await check(known)
        }
        if let digest = content.digest, digest != known { return .other(digest) }
        if content.offset != (await part.count) { try await part.beginAnew() }
        let count = await part.count
        meter.set(count, content.totalSize)
        try checkSpace((content.totalSize ?? 0) - count)
        try await take(content.body)
        if let size = content.totalSize, await part.count != size {
            throw ClientError(.interrupted, "\(size - (await part.count)) bytes are missing")
        }
        return try await check(known)
    }

    private func check(_ known: Digest?) async throws(ClientError) -> Result {
        let digest = try await part.finish()
        guard let known else { return .whole(digest) }
        guard digest == known else {
            // A part with wrong bytes cannot be resumed.
            try await part.beginAnew()
            throw ClientError(.damaged, "other bytes came than the server has: SHA-256 \(digest), not \(known)")
        }
        return .whole(digest)
    }

    private func checkSpace(_ missing: Int64) throws(ClientError) {
        let folder = LocalFiles.folder(of: part.path)
        let room = try LocalFiles.room(at: folder)
        guard missing > 0, room < missing else { return }
        throw ClientError(.noSpaceHere, "\(folder) has room for \(max(0, room)) bytes, and \(missing) are to come")
    }

    /// Bytes come from the network while those before them go to the disk.
    private func take(_ body: ContentBody) async throws(ClientError) {
        var writing: Task<Void, any Error>?
        var gathered: [UInt8] = []
        do {
            for try await piece in body {
                meter.add(piece.count)
                gathered += piece
                guard gathered.count >= Self.gatheredBytes else { continue }
                try await writing?.value
                writing = write(gathered)
                gathered = []
                gathered.reserveCapacity(Self.gatheredBytes + 65_536)
            }
        } catch {
            // What came is kept for the next attempt.
            try await finish(writing, gathered)
            throw ClientError(local: error)
        }
        try await finish(writing, gathered)
    }

    private func finish(_ writing: Task<Void, any Error>?, _ rest: [UInt8]) async throws(ClientError) {
        do { try await writing?.value } catch { throw ClientError(local: error) }
        try await part.append(rest)
    }

    private func write(_ bytes: [UInt8]) -> Task<Void, any Error> {
        Task { [part] in try await part.append(bytes) }
    }
}
