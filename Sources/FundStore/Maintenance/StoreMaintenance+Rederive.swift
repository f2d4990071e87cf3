import FundCore

extension StoreMaintenance {
    /// Takes the raw message of each broken blob apart again and writes the blob anew.
    func rederive(
        _ broken: [BrokenBlob], parser: any MessageParser, limits: ParseLimits
    ) async throws -> [VerifyFinding] {
        var findings: [VerifyFinding] = []
        for blob in broken {
            let sources: [SpooledMessage] = try await connection.queues.shared.run { [self] in
                try self.sources(of: blob)
            }
            var result: String?
            for source in sources where result == nil {
                result = try await parser.withWorker { [self] worker in
                    try rewrite(blob, from: source, worker, limits)
                }
            }
            if let result {
                findings.append(blob.finding(.rederived, "\(blob.detail); \(result)"))
            } else {
                let reason = sources.isEmpty ? "no raw message holds it" : "its raw message no longer gives it"
                findings.append(blob.finding(.unrepairable, "\(blob.detail); \(reason)"))
            }
        }
        if findings.contains(where: { $0.action == .rederived }) {
            try await connection.queues.commits.run { [self] in try files.crossBarrier(writtenAfter: []) { [] } }
        }
        return findings
    }

    /// Messages that this blob came with and whose raw files are still there and whole.
    private func sources(of blob: BrokenBlob) throws -> [SpooledMessage] {
        try connection.read("find the message of a blob") { db in
            try db.rows(
                """
                SELECT DISTINCT message.digest, message.fingerprint, message.size FROM attachment
                JOIN email ON email.id = attachment.email_id JOIN message ON message.id = email.message_id
                WHERE attachment.blob_id = ? AND message.raw_dropped_at IS NULL LIMIT 10
                """, [blob.id]
            ) { row in
                let digest = try row.digest(0)
                return SpooledMessage(
                    path: files.layout.raw(digest), size: row[2], digest: digest, fingerprint: try row.digest(1))
            }
        }.filter { source in (try? FileHash.read(source.path))?.digest == source.digest }
    }

    /// What was done; nil when this message does not give the blob. The damaged file is kept in `lost/` first.
    private func rewrite(
        _ blob: BrokenBlob, from source: SpooledMessage, _ worker: any ParseWorker, _ limits: ParseLimits
    ) throws -> String? {
        if blob.digest == source.digest {
            // Filed by hand as its own one attachment.
            try replace(blob, with: RawAttachment.of(source), at: 0) { _, consume in
                try FileBytes.read(source.path, consume)
            }
            return "copied from the raw message"
        }
        guard case .message(let parsed) = try worker.parse(source, limits: limits),
            let index = parsed.attachments.firstIndex(where: { $0.digest == blob.digest })
        else { return nil }
        try replace(blob, with: parsed.attachments[index], at: index, read: worker.readAttachment)
        return "derived from raw message \(source.digest.hex.prefix(12))"
    }

    private func replace(
        _ blob: BrokenBlob, with attachment: ParsedAttachment, at index: Int,
        read: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        if StoreLayout.size(of: files.layout.blob(blob.digest)) != nil {
            _ = try files.moveToLost("blobs/\(StoreLayout.fanOut(blob.digest))")
        }
        try files.writeBlob(attachment, at: index, read: read)
    }
}
