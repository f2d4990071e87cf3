internal import Dispatch
import FundCore
internal import Glibc

extension StoreFiles {
    /// A place for the bytes of an upload. Throws `outOfSpace` when as many as are announced do not fit.
    func makeUpload(announcing bytes: Int64?) throws -> UploadFile {
        try StoreError.wrapping("take an upload") {
            let name = SpoolDirectory.uniqueName(prefix: UploadFile.namePrefix)
            return try UploadFile(
                path: "\(layout.temporary)/\(name)", failedBarriers: failedBarriers, announcing: bytes,
                in: connection.space, owner: connection.owner)
        }
    }

    /// Moves the bytes under their final name, also where the same stand there already: what the disk has lost since
    /// must not stand in for these, which may exist nowhere else, and the time that an upload takes tells no user what
    /// others have.
    func keep(_ upload: StagedUpload, _ file: UploadFile) throws {
        let final = layout.blob(upload.digest)
        // To free the blocks of what is replaced takes the longer the more there are: after the answer.
        let replaced = Glibc.open(final, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        defer { if replaced >= 0 { connection.queues.shared.async { Glibc.close(replaced) } } }
        try StoreError.wrapping("store an upload") {
            // Others may need what stands there: a power cut must not leave them a name without bytes on the disk.
            try DurabilityBarrier.sync(file.path, flags: O_RDONLY)
            faults.reach(.beforeBlobRename)
            guard rename(file.path, final) == 0 else { throw SpoolError("rename to", final) }
            faults.reach(.afterBlobRename)
            try crossBarrier(writtenAfter: [file.failedBarriers]) { [final] }
        }
    }

    /// Takes the bytes of an upload that got no row away again. What cannot be done now is left to `sweep`.
    func withdraw(_ file: UploadFile, after error: any Error, from digest: ContentDigest) {
        let final = layout.blob(digest)
        // After an error of the disk it is unknown whether the row is there after all.
        guard (error as? StoreError)?.code != .io, file.stands(at: final) else { return }
        _ = try? removeOrphans([digest]) { _ in file.stands(at: final) }
    }
}
