internal import Crypto
internal import Dispatch
internal import FundCore

/// The hashes by which other programs compare files, worked out when somebody first asks for them, and kept with the blob.
final class BlobChecksums: Sendable {
    /// Written down together, since each transaction waits for the disk; and not more than is read in a second, so that a
    /// client that gives up too early gets further the next time.
    private static let batchFiles = 200
    private static let batchBytes: Int64 = 256 * 1024 * 1024

    /// Nil when the bytes are not what they were. Blocks.
    typealias Hash = @Sendable (FileEntry, any FileLibrary) throws -> ContentChecksums?

    private let files: any FileLibrary
    private let hash: Hash
    /// One batch at a time: downloads keep the other processors.
    private let turns = WriteTurns()
    private let queue = DispatchQueue(label: "fundmail.server.checksums")

    init(files: any FileLibrary, hash: @escaping Hash = BlobChecksums.hash) {
        self.files = files
        self.hash = hash
    }

    /// Without those whose bytes are missing or damaged.
    func checksums(of entries: [FileEntry]) async throws -> [ContentDigest: ContentChecksums] {
        let digests = Set(entries.map(\.digest))
        var found = try await files.checksums(of: Array(digests))
        var rest = digests.subtracting(found.keys)
        var batch: [FileEntry] = []
        for entry in entries where rest.remove(entry.digest) != nil {
            batch.append(entry)
            let bytes = batch.reduce(0) { $0 + $1.size }
            if batch.count >= Self.batchFiles || bytes >= Self.batchBytes {
                found.merge(try await workOut(batch)) { $1 }
                batch = []
            }
        }
        found.merge(try await workOut(batch)) { $1 }
        return found
    }

    private func workOut(_ batch: [FileEntry]) async throws -> [ContentDigest: ContentChecksums] {
        guard !batch.isEmpty else { return [:] }
        // All users together.
        return try await turns.take(of: 0) {
            try Task.checkCancellation()
            // Whose turn was before may have worked out the same.
            var found = try await files.checksums(of: batch.map(\.digest))
            let rest = batch.filter { found[$0.digest] == nil }
            let checksums = await withCheckedContinuation { continuation in
                queue.async { [files, hash] in
                    continuation.resume(returning: rest.reduce(into: [:]) { $0[$1.digest] = try? hash($1, files) })
                }
            }
            try await files.keepChecksums(checksums)
            found.merge(checksums) { $1 }
            return found
        }
    }

    /// The name of the blob is hashed, too: bytes that are damaged must not get hashes that fit them.
    @Sendable
    static func hash(_ file: FileEntry, in files: any FileLibrary) throws -> ContentChecksums? {
        let blob = try OpenBlob(ServedContent(file), in: files)
        var (digest, md5, sha1) = (SHA256(), Insecure.MD5(), Insecure.SHA1())
        try blob.readAll { bytes in
            digest.update(bufferPointer: bytes)
            md5.update(bufferPointer: bytes)
            sha1.update(bufferPointer: bytes)
        }
        guard ContentDigest(digest.finalize()) == file.digest else { return nil }
        return ContentChecksums(md5: Array(md5.finalize()), sha1: Array(sha1.finalize()))
    }
}
