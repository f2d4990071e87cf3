internal import Glibc
import FundCore

extension StoreMaintenance {
    /// A file in `blobs` that no row knows is left alone for so long: a batch that is being stored gets its
    /// rows within minutes. A slower one fails when it makes the row (`BlobRows`), and the message comes again.
    private static let orphanAge = Duration.seconds(3600)

    /// Removes what a killed process left: blobs that no row knows, and uploads in `tmp` that no process holds.
    /// Safe beside runs and uploads of any process. Returns how many files went.
    package func sweep() async throws -> Int {
        try await connection.queues.shared.run { [self] in
            try StoreError.wrapping("remove what a crash left") {
                try sweepUploads() + sweepBlobs(before: Timestamp.now - Self.orphanAge)
            }
        }
    }

    private func sweepUploads() throws -> Int {
        try DiskDirectory.names(in: files.layout.temporary).count { name in
            let path = "\(files.layout.temporary)/\(name)"
            return name.hasPrefix(UploadFile.namePrefix) && !UploadFile.isInUse(path) && unlink(path) == 0
        }
    }

    func sweepBlobs(before time: Timestamp) throws -> Int {
        var count = 0
        for folder in StoreLayout.fanOut {
            let digests = try DiskDirectory.names(in: "\(files.layout.blobs)/\(folder)").compactMap { name in
                ContentDigest(hex: folder + name).flatMap { $0.hex == folder + name ? $0 : nil }
            }
            let orphans = try connection.read("look up blobs") { db in
                try digests.filter { try !BlobRows.isKnown($0, db) }
            }
            .filter { isAbandoned(files.layout.blob($0), since: time) }
            count += try files.removeOrphans(orphans) { isAbandoned(files.layout.blob($0), since: time) }
        }
        return count
    }

    /// A rename counts as a change of the file, see inode(7).
    private func isAbandoned(_ path: String, since time: Timestamp) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && Timestamp(Int64(status.st_ctim.tv_sec)) < time && !UploadFile.isInUse(path)
    }
}
