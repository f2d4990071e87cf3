internal import Crypto
internal import Dispatch
internal import Ingest

/// The hashes by which other programs compare files, worked out when somebody first asks for them, and kept with the blob.
final class BlobChecksums: Sendable {
    /// Written down together, since each transaction waits for the disk; and not more than is read in a second, so that a
    /// client that gives up too early gets further the next time.
    private static let batchFiles = 200
    private static let batchBytes: Int64 = 256 * 1024 * 1024

    private let files: any FileLibrary
    /// One at a time: downloads keep the other processors.
    private let queue = DispatchQueue(label: "fundmail.server.checksums")

    init(files: any FileLibrary) { self.files = files }

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
        let checksums = await withCheckedContinuation { continuation in
            queue.async { [files] in
                continuation.resume(
                    returning: batch.reduce(into: [:]) { $0[$1.digest] = try? Self.hash($1, in: files) })
            }
        }
        try await files.keepChecksums(checksums)
        return checksums
    }

    /// The name of the blob is hashed, too: bytes that are damaged must not get hashes that fit them.
    private static func hash(_ file: FileEntry, in files: any FileLibrary) throws -> ContentChecksums? {
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
