package import FundCore
internal import Glibc

extension SQLiteMailStore {
    package func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage {
        var staged = StagedMessage(message: message, stagedBytes: 0)
        staged.files.failedBarriers = files.failedBarriers
        let digest = message.spooled.digest
        let final = files.layout.raw(digest)
        let isSpooled = message.spooled.path != final
        if isSpooled, StoreLayout.size(of: final) == message.spooled.size,
            try connection.read("look up a message", { try MessageRows.holds(digest, $0) })
        {
            return staged  // a duplicate: commit links it and removes the spool file
        }
        if message.decision.outcome == .filed, case .message(let parsed) = message.parsed {
            // It came another way, with other line ends in its texts: no row would ever name the blobs.
            staged.files.hasNoBlobs = try connection.read("look up a message that came before") {
                try MessageRows.email(like: message.spooled, $0) != nil
            }
            // Before the raw file moves: if one cannot be written, the spool file is still there to be discarded.
            do {
                for (index, attachment) in parsed.attachments.enumerated()
                where try !staged.files.hasNoBlobs && !files.holds(attachment.digest, size: attachment.size) {
                    try connection.space.require(attachment.size)
                    try files.writeBlob(attachment, at: index, read: readAttachment)
                    staged.files.blobs.append(attachment.digest)
                    staged.stagedBytes += attachment.size
                }
            } catch {
                takeBack([staged])
                throw error
            }
        }
        guard isSpooled else { return staged }
        files.faults.reach(.beforeRawRename)
        // Over what is there: a file without a row is a crash's remainder, and a power cut may have left it empty.
        guard rename(message.spooled.path, final) == 0 else {
            let error = SpoolError("rename to", final)
            takeBack([staged])
            throw error
        }
        files.faults.reach(.afterRawRename)
        staged.files.hasMovedRaw = true
        staged.message.spooled.path = final
        staged.stagedBytes += message.spooled.size
        return staged
    }

    package func abandon(_ batch: [StagedMessage]) async {
        // Between two batches: a message of the next may be another copy of one of these.
        await connection.queues.commits.run { [self] in takeBack(batch) }
    }

    /// Removes the files that were written for these messages and that no row knows. What cannot be removed is left to
    /// `sweep` and `verify`. Another message that counted on one of them finds out when its row is made, and comes
    /// again.
    func takeBack(_ batch: [StagedMessage]) {
        let blobs = Set(batch.flatMap(\.files.blobs))
        files.forgetFresh(blobs)
        _ = try? files.removeOrphans(Array(blobs)) { _ in true }
        let raws = Set(batch.filter(\.files.hasMovedRaw).map(\.message.spooled.digest))
        guard !raws.isEmpty else { return }
        try? connection.locked("take back raw messages") { db in
            for digest in raws where try !MessageRows.holds(digest, db) { unlink(files.layout.raw(digest)) }
        }
    }
}

/// What `stage` wrote for a message, for `commit` and `abandon`.
struct StagedFiles: StagingReceipt {
    /// How many barriers had failed when the files were written.
    var failedBarriers = 0
    /// The raw file was moved into the store.
    var hasMovedRaw = false
    /// Blobs that were written for this message.
    var blobs: [ContentDigest] = []
    /// The attachments were not written, since the same message was filed before.
    var hasNoBlobs = false
}

extension StagedMessage {
    var files: StagedFiles {
        get { receipt as? StagedFiles ?? StagedFiles() }
        set { receipt = newValue }
    }
}
