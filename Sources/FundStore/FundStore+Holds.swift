internal import GRDB
package import FundCore

extension FundStore {
    /// Whether a message would be a duplicate: the same bytes are here, or the same message that came another way was filed.
    package func holds(_ message: SpooledMessage) async throws -> Bool {
        try await blocking { [self] in
            try read("look for a message") { db in
                let sql = """
                    SELECT EXISTS (SELECT 1 FROM message WHERE digest = ?)
                        OR EXISTS (SELECT 1 FROM email WHERE \(message.hasFingerprint))
                    """
                return try Bool.fetchOne(
                    db.cachedStatement(sql: sql), arguments: [message.digest.column] + message.fingerprintColumns)
                    ?? false
            }
        }
    }
}
