internal import Crypto
internal import Dispatch
internal import FundCore

/// The checksums by which other programs compare files. They are computed when first asked for and kept with the blob.
final class BlobChecksums: Sendable {
    /// Checksums are stored in batches, since each transaction waits for the disk. A batch is read in about a second,
    /// so that a client that gives up early gets further the next time.
    private static let batchFiles = 200
    private static let batchBytes: Int64 = 256 * 1024 * 1024

    /// Nil when the bytes do not have the digest of the blob. Blocks.
    typealias Hash = @Sendable (FileEntry, any ContentReading) throws -> ContentChecksums?

    private let files: any ContentReading
    private let hash: Hash
    /// Serialises batches, so that downloads keep the other processors.
    private let batches = KeyedMutex<Unkeyed>()
    private let queue = DispatchQueue(label: "fundmail.server.checksums")

    init(files: any ContentReading, hash: @escaping Hash = BlobChecksums.hash) {
        self.files = files
        self.hash = hash
    }

    /// How many callers wait for the batch of another.
    var waitingCount: Int { batches.waitingCount(for: Unkeyed()) }

    /// Checksums by digest, without those of missing or damaged blobs.
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
        return try await batches.withLock(for: Unkeyed()) {
            try Task.checkCancellation()
            // The batch before may have computed the same ones.
            var found = try await files.checksums(of: batch.map(\.digest))
            let rest = batch.filter { found[$0.digest] == nil }
            let checksums = await queue.run { [files, hash] in
                rest.reduce(into: [ContentDigest: ContentChecksums]()) { $0[$1.digest] = try? hash($1, files) }
            }
            try await files.keepChecksums(checksums)
            found.merge(checksums) { $1 }
            return found
        }
    }

    /// Computes the digest as well: damaged bytes must not get checksums that fit them.
    @Sendable
    static func hash(_ file: FileEntry, in files: any ContentReading) throws -> ContentChecksums? {
        let content = try OpenContent(ServedContent(file), in: files)
        var (digest, md5, sha1) = (SHA256(), Insecure.MD5(), Insecure.SHA1())
        try content.readAll { bytes in
            digest.update(bufferPointer: bytes)
            md5.update(bufferPointer: bytes)
            sha1.update(bufferPointer: bytes)
        }
        guard ContentDigest(digest.finalize()) == file.digest else { return nil }
        return ContentChecksums(md5: Array(md5.finalize()), sha1: Array(sha1.finalize()))
    }
}
