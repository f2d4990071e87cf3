internal import Crypto
import FundCore

extension StoreMaintenance {
    /// Takes the raw message of each broken blob apart again and writes the blob anew.
    func rederive(
        _ broken: [BrokenBlob], parser: any MessageParser, limits: ParseLimits
    ) async throws -> [VerifyFinding] {
        var findings: [VerifyFinding] = []
        for blob in broken {
            var (sources, result): ([KeptBytes], String?) = ([], nil)
            do {
                sources = try await connection.queues.shared.run { [self] in try self.sources(of: blob) }
                for source in sources where result == nil {
                    result = try await parser.withWorker { [self] worker in
                        try rewrite(blob, from: source, worker, limits)
                    }
                }
            } catch let error as StoreError where error.code == .corrupted {
                // Rows that are needed for it are on a damaged page.
                findings.append(blob.finding(.unrepairable, "\(blob.detail); \(error.detail)"))
                continue
            }
            if let result {
                findings.append(blob.finding(.rederived, "\(blob.detail); \(result)"))
            } else {
                let reason = sources.isEmpty ? "no raw message holds it" : "its raw message no longer gives it"
                findings.append(blob.finding(.unrepairable, "\(blob.detail); \(reason)"))
            }
        }
        return findings
    }

    /// Messages that this blob came with, and that are whole without it.
    private func sources(of blob: BrokenBlob) throws -> [KeptBytes] {
        try connection.read("find the message of a blob") { db in
            try db.rows(
                """
                SELECT DISTINCT message.digest, message.size FROM attachment
                JOIN email ON email.id = attachment.email_id JOIN message ON message.id = email.message_id
                WHERE attachment.blob_id = ? AND message.raw_dropped_at IS NULL AND NOT EXISTS (
                    SELECT 1 FROM message_blob
                    WHERE message_id = message.id AND message_blob.blob_id = attachment.blob_id) LIMIT 10
                """, [blob.id]
            ) { KeptBytes(digest: try $0.digest(0), size: $0[1]) }
        }
    }

    /// Writes a blob anew, and says from where; nil when this message does not give the blob.
    private func rewrite(
        _ blob: BrokenBlob, from source: KeptBytes, _ worker: any ParseWorker, _ limits: ParseLimits
    ) throws -> String? {
        let message: SpooledMessage
        do { message = try source.spool(from: log) } catch let error as StoreError where error.code == .corrupted {
            return nil
        }
        if blob.digest == message.digest {
            // Filed by hand as its own one attachment.
            try replace(blob, size: message.size) { try message.content.read($0) }
            return "copied from the raw message"
        }
        guard case .message(let parsed) = try worker.parse(message, limits: limits),
            let index = parsed.attachments.firstIndex(where: { $0.digest == blob.digest })
        else { return nil }
        try replace(blob, size: parsed.attachments[index].size) { try worker.readAttachment(index, $0) }
        return "derived from raw message \(message.digest.hex.prefix(12))"
    }

    /// `read` gives the bytes, which have the blob's digest.
    private func replace(
        _ blob: BrokenBlob, size: Int64, read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let generation = log.generation
        let large = try log.makeLarge(.blob, origin: "")
        var hash = SHA256()
        try read { bytes in
            hash.update(bufferPointer: bytes)
            try large.append(bytes)
        }
        guard ContentDigest(hash.finalize()) == blob.digest else {
            throw StoreError(.corrupted, "write a blob anew", "it reads differently from what the parser said of it")
        }
        try large.finishBody()
        let record = try log.append(large, of: blob.digest)
        try log.committing("write a blob anew", appendedIn: [generation]) {
            try BlobRows(db: $0).replace(.anything, of: blob.digest, with: record)
        } records: { _ in
            [record]
        }
    }
}
