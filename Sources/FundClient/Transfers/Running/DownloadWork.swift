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
        try LocalFiles.makeFolders(LocalFiles.folder(of: destination))
        let path = Self.partPath(of: destination, row.transfer)
        let landing = Landing(part: path, destination: destination, ifTaken: download.ifTaken)
        if let before = row.landing, try landing.finishBefore(before) {
            let size = try LocalFiles.existing(before)?.size ?? 0
            return try await finish(before, size: size, digest: row.partDigest)
        }
        let part = PartFile(path, rights: 0o666, modified: download.modifiedAt?.secondsSince1970)
        let (digest, size): (Digest, Int64)
        if let expected = download.digest, let count = try await copy(expected, to: part) {
            (digest, size) = (expected, count)
        } else {
            (digest, size) = try await load(to: part)
        }
        let taken = try await landing.take { path throws(ClientError) in
            try await queue.set(id, heldBy: mark, ["landing": path, "part_digest": digest.column])
        }
        try await finish(taken, size: size, digest: digest)
    }

    private func load(to part: PartFile) async throws(ClientError) -> (Digest, Int64) {
        let loader = loader(of: part)
        var known = row.partDigest
        while true {
            switch try await loader.run(known: known) {
            case .whole(let digest, let size): return (digest, size)
            case .other(let digest):
                try checkIsWanted(digest)
                // From now on the part is of this content.
                _ = try await part.begin(isResumed: false)
                try await queue.set(id, heldBy: mark, ["part_digest": digest.column])
                known = digest
            }
        }
    }

    private func loader(of part: PartFile) -> PartLoader {
        let folder = LocalFiles.folder(of: part.path)
        return PartLoader(part: part, meter: queue.progressBoard.meter(id)) {
            [server, download] (offset, digest) async throws(ClientError) in
            try await server.content(of: download.item, from: offset, ifRange: digest)
        } reserve: { missing throws(ClientError) in
            let room = try LocalFiles.room(at: folder)
            guard missing > 0, room < missing else { return }
            throw ClientError(.noSpaceHere, "\(folder) has room for \(max(0, room)) bytes, and \(missing) are to come")
        }
    }

    /// Copies a content from the cache, and removes it there when it is damaged.
    /// - Returns: its size; nil when the cache does not have it.
    private func copy(_ digest: Digest, to part: PartFile) async throws(ClientError) -> Int64? {
        guard let source = try await cache.file(with: digest) else { return nil }
        guard try await part.copy(source, onPiece: queue.progressBoard.meter(id).add) else { return nil }
        let copied = try await part.finish()
        if copied.digest == digest { return copied.size }
        try await cache.remove(digest)
        return nil
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
                let size = try LocalFiles.existing(path)?.size ?? 0
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
            switch try await loader(of: PartFile(cache.partPath(of: known))).run(known: known) {
            case .whole(_, let size):
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
