internal import Crypto
internal import GRDB
internal import Glibc
package import FundCore
internal import Synchronization

/// What this process has written since the last barrier that failed.
struct StagingState {
    /// Beyond it what was written longest ago is forgotten: it is then written again, no more.
    static let maxFreshBlobs = 65_536

    var failedBarriers = 0
    /// Blobs under their final names that no row knows yet; a second message of the batch need not write them again.
    var freshBlobs: Set<ContentDigest> = []
}

extension FundStore {
    package func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage {
        var staged = StagedMessage(message: message, stagedBytes: 0)
        staged.failedBarriers = staging.withLock { $0.failedBarriers }
        let digest = message.spooled.digest
        let final = layout.raw(digest)
        let isSpooled = message.spooled.path != final
        if isSpooled, StoreLayout.size(of: final) == message.spooled.size, try isTakenIn(digest) {
            return staged  // a duplicate: commit links it and removes the spool file
        }
        if message.decision.outcome == .filed, case .message(let parsed) = message.parsed {
            // It came another way, with other line ends in its texts: no row would ever name the blobs.
            staged.hasNoBlobs = try isFiled(message.spooled)
            // Before the raw file moves: if one cannot be written, the spool file is still there to be discarded.
            do {
                for (index, attachment) in parsed.attachments.enumerated()
                where try !staged.hasNoBlobs && !holds(attachment) {
                    try space.require(attachment.size)
                    try writeBlob(attachment, at: index, read: readAttachment)
                    staged.ownBlobs.append(attachment.digest)
                    staged.stagedBytes += attachment.size
                }
            } catch {
                takeBack([staged])
                throw error
            }
        }
        guard isSpooled else { return staged }
        faults.reach(.beforeRawRename)
        // Over what is there: a file without a row is a crash's remainder, and a power cut may have left it empty.
        guard rename(message.spooled.path, final) == 0 else {
            let error = SpoolError("rename to", final)
            takeBack([staged])
            throw error
        }
        faults.reach(.afterRawRename)
        staged.hasMoved = true
        staged.message.spooled.path = final
        staged.stagedBytes += message.spooled.size
        return staged
    }

    package func abandon(_ batch: [StagedMessage]) async {
        // Between two batches: a message of the next may be another copy of one of these.
        try? await committing { [self] in takeBack(batch) }
    }

    /// Removes the files that were written for these messages and that no row knows. What cannot be removed is left to `sweep` and
    /// `verify`. Another message that counted on one of them finds out when its row is made, and comes again.
    func takeBack(_ batch: [StagedMessage]) {
        let blobs = Set(batch.flatMap(\.ownBlobs))
        staging.withLock { $0.freshBlobs.subtract(blobs) }
        _ = try? removeOrphans(Array(blobs)) { _ in true }
        let raws = Set(batch.filter(\.hasMoved).map(\.message.spooled.digest))
        guard !raws.isEmpty else { return }
        try? locked("take back raw messages") { db in
            for digest in raws where try !Self.isTakenIn(digest, db) { unlink(layout.raw(digest)) }
        }
    }

    private func isTakenIn(_ digest: ContentDigest) throws -> Bool {
        try read("look up a message") { try Self.isTakenIn(digest, $0) }
    }

    private static func isTakenIn(_ digest: ContentDigest, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM message WHERE digest = ?)"),
            arguments: [digest.column]) ?? false
    }

    private func isFiled(_ message: SpooledMessage) throws -> Bool {
        try read("look up a message that came before") { db in
            try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM email WHERE \(message.hasFingerprint))"),
                arguments: message.fingerprintColumns) ?? false
        }
    }

    /// A blob counts only when its row is committed, or when this process wrote it since the last failure. In the ordinary
    /// case of new content one lstat(2) tells, and no row is read.
    private func holds(_ attachment: ParsedAttachment) throws -> Bool {
        guard StoreLayout.size(of: layout.blob(attachment.digest)) == attachment.size else { return false }
        if staging.withLock({ $0.freshBlobs.contains(attachment.digest) }) { return true }
        return try read("look up an attachment") { try BlobRows.isKnown(attachment.digest, $0) }
    }

    /// Writes under a temporary name, checks size and hash, renames.
    func writeBlob(
        _ attachment: ParsedAttachment, at index: Int,
        read: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let temporary = "\(layout.temporary)/\(SpoolDirectory.uniqueName(prefix: "blob"))"
        let final = layout.blob(attachment.digest)
        let failures = staging.withLock { $0.failedBarriers }
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", temporary) }
        var isRenamed = false
        defer {
            Glibc.close(descriptor)
            if !isRenamed { unlink(temporary) }
        }
        try owner?.take(descriptor, path: temporary)
        var hash = SHA256()
        var size: Int64 = 0
        try read(index) { bytes in
            try SpoolWriter.writeAll(bytes, to: descriptor, path: temporary)
            hash.update(bufferPointer: bytes)
            size += Int64(bytes.count)
        }
        guard size == attachment.size, ContentDigest(hash.finalize()) == attachment.digest else {
            throw StoreError(
                .corrupted, "store an attachment",
                "part \(attachment.partPath) reads differently from what the parser said of it")
        }
        faults.reach(.beforeBlobRename)
        guard rename(temporary, final) == 0 else { throw SpoolError("rename to", final) }
        isRenamed = true
        faults.reach(.afterBlobRename)
        staging.withLock { state in
            guard state.failedBarriers == failures else { return }
            if state.freshBlobs.count >= StagingState.maxFreshBlobs { state.freshBlobs.removeAll() }
            state.freshBlobs.insert(attachment.digest)
        }
    }
}
