import FundCore

/// Contents that came by no mail, and what became of them.
package struct RecoveredUploads: Sendable, Hashable {
    package var files = 0
    package var bytes: Int64 = 0
    /// The fund that they are in, and its owner; nil when there were none.
    package var fund: String?
    package var owner: String?

    /// Nothing yet.
    package init() {}
}

extension LogRecovery {
    /// Files of one transaction, and bytes that are copied for it.
    private static let (filesAtATime, bytesAtATime): (Int, Int64) = (200, 64 << 20)

    private struct Upload {
        var digest: ContentDigest
        var size: Int64
        var time: Timestamp
        var name: String
        var record: AppendedRecord
    }

    /// Files contents of the log that no row knows and that came with no mail, under the names that they had, into a
    /// fund of their own of the first administrator. To be called when the mail is filed. Throws `notFound` when there
    /// is something to file and no administrator who is enabled.
    package func fileUploads(
        actor: String, shouldStop: @escaping @Sendable () -> Bool = { false }
    ) async throws -> RecoveredUploads {
        try await connection.running("file uploads again") { [self] in try fileUploadsBlocking(actor, shouldStop) }
    }

    private func fileUploadsBlocking(_ actor: String, _ shouldStop: () -> Bool) throws -> RecoveredUploads {
        var result = RecoveredUploads()
        let indices = try unknownUploads()
        guard !indices.isEmpty else { return result }
        let owner = try owner()
        (result.fund, result.owner) = (FundRows.recovered, owner.email)
        var (batch, copied, generations): ([Upload], Int64, Set<Int>) = ([], 0, [])
        func commit() throws {
            guard !batch.isEmpty else { return }
            let filed = try log.committing("file uploads again", appendedIn: Array(generations)) { db in
                try Self.file(batch, of: owner.id, actor: actor, db)
            } records: { _ in
                batch.map(\.record)
            }
            noteRemovedElsewhere(filed.map(\.digest))
            result.files += filed.count
            result.bytes += filed.reduce(0) { $0 + $1.size }
            (batch, copied, generations) = ([], 0, [])
        }
        for index in indices where !shouldStop() {
            let generation = log.generation
            guard let (upload, bytes) = try upload(index) else { continue }
            batch.append(upload)
            if bytes > 0 { generations.insert(generation) }
            copied += bytes
            if batch.count >= Self.filesAtATime || copied >= Self.bytesAtATime { try commit() }
        }
        try commit()
        return result
    }

    /// Uploads that no row knows, in the order in which they came, each content once.
    private func unknownUploads() throws -> [Int] {
        var seen: Set<ContentDigest> = []
        let indices = left.records.indices.filter { index in
            let record = left.records[index]
            return record.kind == .blob && !belongsToMail(record.digest) && seen.insert(record.digest).inserted
        }
        let unknown = try connection.read("look for contents without rows") { db in
            try indices.filter { index in
                let digest = left.records[index].digest
                return try !Self.isKnown(digest, "blob", db) && !Self.isKnown(digest, "message", db)
            }
        }
        return left.inOrder(unknown)
    }

    private func owner() throws -> (id: User.ID, email: String) {
        let sql = "SELECT id, email FROM \"user\" WHERE is_administrator = 1 AND is_disabled = 0 ORDER BY id LIMIT 1"
        let row = try connection.read("find an administrator") { try $0.row(sql) }
        guard let row else {
            throw StoreError(
                .notFound, "file uploads again",
                "there is no administrator whose fund they could come into; `fundmail user add EMAIL --admin`")
        }
        return (row[0], row[1])
    }

    /// The first whole record of a content, copied where it cannot stay, with the bytes of the copy; nil when none is
    /// whole.
    private func upload(_ index: Int) throws -> (Upload, copied: Int64)? {
        let digest = left.records[index].digest
        var damages: [(LeftDamage, Int)] = []
        for candidate in left.indices(of: digest, .blob) {
            do {
                try left.read(candidate) { _ in }
                let label = try left.open(candidate).header.label
                let adopted = try adopted(candidate)
                let record = try adopted ?? copy(candidate, label)
                let upload = Upload(
                    digest: digest, size: label.contentBytes, time: label.time, name: Self.name(of: label),
                    record: record)
                return (upload, adopted == nil ? record.location.count : 0)
            } catch let damage as LeftDamage {
                damages.append((damage, candidate))
            } catch let damage as LogDamage {
                damages.append((LeftDamage(left.path(of: candidate), damage), candidate))
            }
        }
        for (damage, candidate) in damages where !left.isDisputed(candidate) { noteDamage(damage, of: candidate) }
        return nil
    }

    private func copy(_ index: Int, _ label: RecordHeader.Label) throws -> AppendedRecord {
        var label = label
        label.encoding = .plain
        guard label.contentBytes >= LogFormat.largeBytes else {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Int(label.contentBytes))
            try left.read(index) { bytes.append(contentsOf: $0) }
            return try bytes.withUnsafeBytes { try log.append(label, [$0]) }
        }
        let large = try log.makeLarge(.blob, origin: label.origin)
        try left.read(index) { bytes in
            try connection.space.require(Int64(bytes.count))
            try large.append(bytes)
        }
        try large.finishBody()
        return try log.append(large, of: label.digest)
    }

    /// The name that a content had, as far as a file may have it.
    private static func name(of label: RecordHeader.Label) -> String {
        let origin = label.origin.replacing("/", with: "_").prefix(bytes: LibraryName.maxBytes)
        if let name = try? LibraryName.checked(origin, "name a file") { return name }
        let visible = String(String.UnicodeScalarView(origin.unicodeScalars.filter { $0.properties.isGraphemeBase }))
        return (try? LibraryName.checked(visible, "name a file")) ?? "file-\(label.digest.hex.prefix(12))"
    }

    /// Files uploads, and gives those that were not known meanwhile.
    private static func file(_ batch: [Upload], of owner: User.ID, actor: String, _ db: Database) throws -> [Upload] {
        let fund = try FundRows(db: db, actor: actor).findOrInsert(FundRows.recovered, owner: owner)
        return try batch.filter { upload in
            guard try !isKnown(upload.digest, "blob", db) else { return false }
            let blob = try BlobRows(db: db).id(of: upload.digest, size: upload.size, upload.record)
            let content = LibraryChange.Content(
                blobID: blob, size: upload.size, contentType: "application/octet-stream", modifiedAt: upload.time)
            let target = FileTarget(upload.name, in: LibraryPlace(fund: fund), ifTaken: .number)
            _ = try LibraryChange(db: db, user: owner, limits: .none, now: upload.time).addFile(content, at: target)
            return true
        }
    }
}
