internal import GRDB
internal import Glibc
package import FundCore
internal import Synchronization

extension FundStore {
    package func makeUpload(announcing bytes: Int64?) throws -> any UploadWriter {
        do {
            let failures = staging.withLock { $0.failedBarriers }
            let name = SpoolDirectory.uniqueName(prefix: UploadFile.namePrefix)
            return try UploadFile(
                path: "\(layout.temporary)/\(name)", failedBarriers: failures, announcing: bytes, in: space,
                owner: owner)
        } catch {
            throw StoreError.wrap(error, "take an upload")
        }
    }

    package func addFile(_ upload: StagedUpload, at target: FileTarget, of user: User.ID) async throws -> FileEntry {
        let operation = "add a file"
        guard let file = upload.owner as? UploadFile else {
            throw StoreError(.invalid, operation, "another store took the upload")
        }
        return try await uploading { [self] in
            try read(operation) { db in
                // What must be refused anyway, before anything is made durable.
                _ = try LibraryChange(db: db, user: user).target(of: target, operation)
            }
            do {
                try makeDurable(upload, file)
                return try write(operation) { db in
                    try UserRows.checkEnabled(user, db, operation)
                    let blobID = try BlobRows(db: db, layout: layout).id(of: upload.digest, size: upload.size)
                    let content = LibraryChange.Content(
                        blobID: blobID, size: upload.size, contentType: upload.contentType.cleaned,
                        modifiedAt: target.modifiedAt)
                    return try LibraryChange(db: db, user: user).addFile(content, at: target)
                }
            } catch {
                withdraw(file, after: error, from: upload.digest)
                throw error
            }
        }
    }

    /// Takes the bytes of an upload that got no row away again. What cannot be done now is left to `sweep`.
    private func withdraw(_ file: UploadFile, after error: any Error, from digest: ContentDigest) {
        let final = layout.blob(digest)
        // After an error of the disk nobody can tell whether the row is there after all.
        guard (error as? StoreError)?.code != .io, file.stands(at: final) else { return }
        _ = try? removeOrphans([digest]) { _ in file.stands(at: final) }
    }

    /// Moves the bytes under their final name, also where the same stand there already: what the disk has lost since must not
    /// stand in for these, which may exist nowhere else, and the time that an upload takes tells nobody what others have.
    private func makeDurable(_ upload: StagedUpload, _ file: UploadFile) throws {
        let final = layout.blob(upload.digest)
        // To free the blocks of what is replaced takes the longer the more there are: after the answer.
        let replaced = Glibc.open(final, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        defer { if replaced >= 0 { afterwards { Glibc.close(replaced) } } }
        do {
            // Others may need what stands there: a power cut must not leave them a name whose bytes are not on the disk yet.
            try DurabilityBarrier.sync(file.path, flags: O_RDONLY)
            faults.reach(.beforeBlobRename)
            guard rename(file.path, final) == 0 else { throw SpoolError("rename to", final) }
            faults.reach(.afterBlobRename)
            try crossBarrier(writtenAfter: [file.failedBarriers]) { [final] }
        } catch {
            throw StoreError.wrap(error, "store an upload")
        }
    }

    package func openBlob(_ digest: ContentDigest, size: Int64) throws -> Int32 {
        let operation = "read a file"
        let descriptor = Glibc.open(layout.blob(digest), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            guard errno != ENOENT && errno != ELOOP else {
                throw StoreError(.corrupted, operation, "its bytes are missing")
            }
            throw StoreError.wrap(SpoolError("open", layout.blob(digest)), operation)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == size else {
            Glibc.close(descriptor)
            throw StoreError(.corrupted, operation, "its bytes are cut off")
        }
        return descriptor
    }
}
