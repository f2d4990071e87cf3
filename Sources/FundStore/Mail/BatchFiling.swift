internal import GRDB
internal import Glibc
import FundCore

/// Writes the rows of messages within one transaction.
struct BatchFiling {
    let db: Database
    let layout: StoreLayout
    let now: Timestamp
    /// Files of duplicates, to be removed once the transaction is durable.
    private(set) var droppedFiles: [String] = []

    init(db: Database, layout: StoreLayout, now: Timestamp) {
        self.db = db
        self.layout = layout
        self.now = now
    }

    mutating func take(_ staged: StagedMessage) throws -> StoredMessage {
        let (stored, messageID) = try store(staged)
        try HeaderOnlyRows(db: db, now: now).settle(by: stored)
        try log(stored, of: messageID)
        return stored
    }

    /// What became of the message, and the row that holds it.
    private mutating func store(_ staged: StagedMessage) throws -> (StoredMessage, Int64) {
        let message = staged.message
        if let first = try firstCopy(of: message) {
            let final = layout.raw(message.spooled.digest)
            // The same bytes under the final name are the first copy's own file, mended; unless retention dropped it.
            let isOwnFile = message.spooled.path == final && first.hasSameDigest && !first.isRawDropped
            if !isOwnFile { droppedFiles.append(message.spooled.path) }
            let stored = StoredMessage(
                message: message, outcome: .duplicate, reason: nil, emailID: first.emailID,
                misrouteID: first.misrouteID)
            return (stored, first.messageID)
        }
        // Gone when the same bytes were dropped as a duplicate in between, and only now are no duplicate any more.
        guard message.spooled.path == layout.raw(message.spooled.digest),
            StoreLayout.size(of: message.spooled.path) == message.spooled.size
        else { throw StoreError(.stale, "store a message", "its raw file is not in its place") }
        guard !staged.files.hasNoBlobs else {
            throw StoreError(.stale, "store a message", "the copy that it repeats is gone")
        }
        let (outcome, reason) = (message.decision.outcome, message.decision.reason)
        let messageID = try insertMessage(message)
        // The same bytes may just have been dropped as a copy of a message that was not filed: now a row names the
        // file.
        droppedFiles.removeAll { $0 == message.spooled.path }
        var (emailID, misrouteID): (EmailSummary.ID?, MisrouteRecord.ID?)
        if outcome == .filed {
            let filing = EmailFiling(db: db, layout: layout, now: now)
            let id = try filing.file(message, messageID: messageID)
            emailID = id
            try supersede(message, by: id)
        } else {
            misrouteID = try MisrouteRows.insert(db, message, messageID: messageID)
        }
        let stored = StoredMessage(
            message: message, outcome: outcome, reason: reason, emailID: emailID, misrouteID: misrouteID)
        return (stored, messageID)
    }

    // MARK: Duplicates

    private struct FirstCopy {
        var messageID: Int64
        var hasSameDigest: Bool
        var isRawDropped: Bool
        var emailID: EmailSummary.ID?
        var misrouteID: MisrouteRecord.ID?
    }

    /// The same bytes; or the same message that came another way, if that was filed, or if this one would not be filed
    /// either.
    private func firstCopy(of message: RoutedMessage) throws -> FirstCopy? {
        if let id = try id("SELECT id FROM message WHERE digest = ?", [message.spooled.digest.column]) {
            return try describe(id, hasSameDigest: true)
        }
        let isSame = message.spooled.fingerprintCondition
        if let id = try id("SELECT message_id FROM email WHERE \(isSame.sql) LIMIT 1", isSame.arguments) {
            return try describe(id, hasSameDigest: false)
        }
        guard message.decision.outcome != .filed, let id = try keptCopy(of: message) else { return nil }
        return try describe(id, hasSameDigest: false)
    }

    private func keptCopy(of message: RoutedMessage) throws -> Int64? {
        let isSame = message.spooled.fingerprintCondition
        return try id(
            "SELECT id FROM message WHERE \(isSame.sql) AND outcome <> 'filed' ORDER BY id LIMIT 1", isSame.arguments)
    }

    private func id(_ sql: String, _ arguments: StatementArguments) throws -> Int64? {
        try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    private func describe(_ messageID: Int64, hasSameDigest: Bool) throws -> FirstCopy {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT (SELECT id FROM email WHERE message_id = message.id), misroute.id, misroute.email_id,
                        message.raw_dropped_at IS NOT NULL
                    FROM message LEFT JOIN misroute ON misroute.message_id = message.id WHERE message.id = ?
                    """), arguments: [messageID])
        return FirstCopy(
            messageID: messageID, hasSameDigest: hasSameDigest, isRawDropped: row?[3] ?? false,
            emailID: row?[0] ?? row?[2], misrouteID: row?[1])
    }

    /// Resolves the open entries of other copies of this message, which were kept for want of a fund.
    private func supersede(_ message: RoutedMessage, by emailID: EmailSummary.ID) throws {
        guard try keptCopy(of: message) != nil else { return }
        let isSame = message.spooled.fingerprintCondition
        let open = try MisrouteRecord.ID.fetchAll(
            db,
            sql: """
                SELECT misroute.id FROM misroute JOIN message ON message.id = misroute.message_id
                WHERE \(isSame.sql) AND message.outcome <> 'filed' AND misroute.resolution IS NULL
                """, arguments: isSame.arguments)
        for id in open {
            try MisrouteRows.markFiled(db, id, emailID: emailID, actor: "fundmail", now: now)
            try Audit.write(
                db, actor: "fundmail", action: "misroute.supersede", subject: "misrouted \(id)",
                detail: "another copy of the message was filed as email \(emailID)", now: now)
        }
    }

    // MARK: Rows

    private func insertMessage(_ message: RoutedMessage) throws -> Int64 {
        try db.cachedStatement(
            sql: """
                INSERT INTO message (digest, fingerprint, size, outcome, reason, mailbox, place, received_at,
                    is_header_only) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            message.spooled.digest.column, message.spooled.fingerprint.column, message.spooled.size,
            message.decision.outcome.rawValue, message.decision.reason?.rawValue, message.reference.mailbox?.cleaned,
            message.reference.place.cleaned, now, message.refusal != nil,
        ])
        return db.lastInsertedRowID
    }

    /// A server's place is logged once. A message that was not acknowledged comes again from the same place, and stays
    /// what it was; another message there, or the same one after it had departed, takes the row over.
    private func log(_ stored: StoredMessage, of messageID: Int64) throws {
        let (message, reference) = (stored.message, stored.message.reference)
        try db.cachedStatement(sql: Self.logSQL).execute(arguments: [
            reference.mailbox?.cleaned, reference.place.cleaned, message.spooled.digest.column, messageID,
            stored.outcome.rawValue, stored.reason?.rawValue, now, reference.announcedBytes, message.refusal != nil,
            reference.hasSizeMismatch,
        ])
    }

    private static let logSQL: String = {
        let same = "digest = excluded.digest AND departed_at IS NULL"
        let taken = ["message_id", "outcome", "reason", "at"].map { column in
            "\(column) = CASE WHEN \(same) THEN \(column) ELSE excluded.\(column) END"
        }
        return """
            INSERT INTO delivery (mailbox, place, digest, message_id, outcome, reason, at, announced_bytes,
                is_header_only, has_size_mismatch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (mailbox, place) WHERE mailbox IS NOT NULL DO UPDATE SET
                \(taken.joined(separator: ", ")), digest = excluded.digest, departed_at = NULL,
                announced_bytes = excluded.announced_bytes, is_header_only = excluded.is_header_only,
                has_size_mismatch = excluded.has_size_mismatch
            WHERE NOT (\(same) AND announced_bytes IS excluded.announced_bytes
                AND is_header_only = excluded.is_header_only AND has_size_mismatch = excluded.has_size_mismatch)
            """
    }()
}
