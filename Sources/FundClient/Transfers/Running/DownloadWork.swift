internal import Foundation
internal import GRDB

/// One attempt at a download.
struct DownloadWork: Sendable {
    let row: TransferRow
    let download: Download
    let server: any TransferServer
    let queue: TransferQueue
    let cache: ContentCache
    let mark: ProcessMark

    private var id: TransferID { row.transfer.id }

    func run() async throws(ClientError) {
        if let destination = download.destination {
            try await toDestination(destination)
        } else {
            try await intoCache()
        }
    }

    // MARK: A file of a person

    private func toDestination(_ destination: String) async throws(ClientError) {
        try LocalFiles.makeFolder(LocalFiles.folder(of: destination))
        let path = Self.partPath(of: destination, row.transfer)
        let landing = Landing(part: path, destination: destination, ifTaken: download.ifTaken)
        if let before = row.landing, try landing.finishBefore(before) {
            let size = try LocalFiles.status(before)?.size ?? 0
            return try await finish(before, size: size, digest: row.partDigest)
        }
        let part = try await PartFile(path, rights: 0o666, modifiedAt: download.modifiedAt)
        let digest: Digest?
        if let expected = download.digest, try await copy(expected, to: part) {
            digest = expected
        } else {
            digest = try await load(to: part)
        }
        let size = await part.count
        let taken = try await landing.take { path throws(ClientError) in
            try await queue.set(id, heldBy: mark, ["landing": path, "part_digest": digest?.column])
        }
        try await finish(taken, size: size, digest: digest)
    }

    private func load(to part: PartFile) async throws(ClientError) -> Digest? {
        let filling = PartFilling(
            part: part, source: download.item, server: server, meter: queue.progressBoard.meter(id))
        var known = row.partDigest
        while true {
            switch try await filling.run(known: known) {
            case .whole(let digest): return digest
            case .other(let digest):
                try checkIsWanted(digest)
                // From now on what is in the part is of this content.
                try await part.beginAnew()
                try await queue.set(id, heldBy: mark, ["part_digest": digest.column])
                known = digest
            }
        }
    }

    /// From the cache. False when it is not there, or is damaged: then it is there no more.
    private func copy(_ digest: Digest, to part: PartFile) async throws(ClientError) -> Bool {
        guard let source = try await cache.file(with: digest) else { return false }
        let (id, board) = (id, queue.progressBoard)
        guard try await part.copy(source, onPiece: { board.add(id, $0) }) else { return false }
        if try await part.finish() == digest { return true }
        try await cache.remove(digest)
        return false
    }

    /// Beside the destination, hidden, and of this transfer alone.
    static func partPath(of destination: String, _ transfer: Transfer) -> String {
        let token = "\(transfer.id)-\(String(transfer.createdAt.milliseconds, radix: 36))"
        var name = LocalFiles.name(of: destination)
        // With what is added it stays a name that file systems take.
        while name.utf8.count > 180 { name.removeLast() }
        return "\(LocalFiles.folder(of: destination))/.\(name).\(token).fund-part"
    }

    // MARK: The cache

    private func intoCache() async throws(ClientError) {
        var expected = download.digest
        while true {
            if let expected, let path = try await cache.file(with: expected) {
                let size = try LocalFiles.status(path)?.size ?? 0
                return try await finish(nil, size: size, digest: expected)
            }
            let known: Digest
            if let expected {
                known = expected
            } else {
                guard let told = try await server.content(of: download.item, from: 0, ifRange: nil).digest else {
                    throw ClientError(.protocolViolation, "the server does not say what the content is")
                }
                known = told
                try await queue.set(id, heldBy: mark, ["digest": told.column])
            }
            let part = try await PartFile(cache.partPath(of: known))
            let filling = PartFilling(
                part: part, source: download.item, server: server, meter: queue.progressBoard.meter(id))
            switch try await filling.run(known: known) {
            case .whole:
                let size = await part.count
                try await cache.adopt(known, size: size)
                return try await finish(nil, size: size, digest: known)
            case .other(let digest):
                try checkIsWanted(digest)
                try await queue.set(id, heldBy: mark, ["digest": digest.column])
                expected = digest
            }
        }
    }

    // MARK: Both

    private func checkIsWanted(_ digest: Digest) throws(ClientError) {
        guard download.isExact, let expected = download.digest, expected != digest else { return }
        throw ClientError(.preconditionFailed, "the server has other bytes by now")
    }

    private func finish(_ path: String?, size: Int64, digest: Digest?) async throws(ClientError) {
        var file: FileID?
        if case .file(let id) = download.item { file = id }
        try await queue.finish(id, heldBy: mark, result: path, size: size, digest: digest, local: file)
    }
}
