import FundCore
internal import Synchronization

/// Contents that a scanner has looked at: for a store that gives no others (`scan: {unscanned: hold}`).
final class ScannedContents: Sendable {
    /// Limit of contents that are remembered. A scanned content stays scanned.
    private static let maxKnown = 100_000

    private let rows: any RowDatabase
    /// Whether there is a verdict of a content since a loss of them, or it was released without one. Blocks.
    private let hasVerdict: @Sendable (ContentDigest, ScanLoss) throws -> Bool
    private let scanned = Mutex(Scanned())

    private struct Scanned {
        var contents: Set<ContentDigest> = []
        /// The loss before which nothing counts that was remembered.
        var loss = ScanLoss.none
    }

    init(
        rows: any RowDatabase, hasVerdict: @escaping @Sendable (ContentDigest, ScanLoss) throws -> Bool
    ) {
        self.rows = rows
        self.hasVerdict = hasVerdict
    }

    /// Whether a content is known to be scanned, without waiting; false where that has to be looked up.
    func isKnown(_ content: ContentDigest, since loss: ScanLoss) -> Bool {
        scanned.withLock { $0.loss == loss && $0.contents.contains(content) }
    }

    /// Whether a content was scanned, or all contents that a raw message carries. One that was not filed is scanned as
    /// a whole. Blocks.
    func contains(_ content: ContentDigest, since loss: ScanLoss) throws -> Bool {
        if isKnown(content, since: loss) { return true }
        if try hasVerdict(content, loss) {
            remember(content, loss)
            return true
        }
        // A message that is filed later may carry more than today: it is not remembered.
        guard let parts = try contents(ofMessage: content) else { return false }
        return try parts.allSatisfy { part in
            if isKnown(part, since: loss) { return true }
            guard try hasVerdict(part, loss) else { return false }
            remember(part, loss)
            return true
        }
    }

    private func remember(_ content: ContentDigest, _ loss: ScanLoss) {
        scanned.withLock { scanned in
            if scanned.contents.count >= Self.maxKnown || scanned.loss != loss { scanned = Scanned(loss: loss) }
            scanned.contents.insert(content)
        }
    }

    /// Contents of a raw message that are scanned: those that were filed, and those that it repeats of the log. Nil for
    /// another content, and for a message that was not filed.
    private func contents(ofMessage digest: ContentDigest) throws -> [ContentDigest]? {
        try rows.ask("look for what a message carries") { db in
            let id: MessageRows.ID? = try db.value("SELECT id FROM message WHERE digest = ?", [digest])
            guard let id, try !db.exists("SELECT 1 FROM misroute WHERE message_id = ? AND email_id IS NULL", [id])
            else { return nil }
            return try db.rows(
                """
                SELECT blob.digest FROM email JOIN attachment ON attachment.email_id = email.id
                    JOIN blob ON blob.id = attachment.blob_id WHERE email.message_id = ?1 AND blob.size > 0
                UNION SELECT blob.digest FROM message_blob JOIN blob ON blob.id = message_blob.blob_id
                    WHERE message_blob.message_id = ?1 AND blob.size > 0
                """, [id]
            ) { try $0.digest(0) }
        }
    }
}
