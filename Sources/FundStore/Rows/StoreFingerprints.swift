import Foundation
import FundCore

/// The key of the fingerprints of a store's messages, which two copies of one message share.
enum StoreFingerprints {
    static let script = """
        -- Under which key `message.fingerprint` and `email.fingerprint` are computed: one row. None in a store that had
        -- mail before there was a key: its fingerprints need none.
        CREATE TABLE fingerprint_key (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL) STRICT;
        """

    /// Gives a key to a store without mail.
    static func begin(_ db: Database) throws {
        try db.run(script: script)
        guard try db.value("SELECT 1 FROM message LIMIT 1") == nil as Int? else { return }
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        try db.execute("INSERT INTO fingerprint_key (id, value) VALUES (1, ?)", [Data(key)])
    }

    static func key(_ db: Database) throws -> FingerprintKey? {
        let bytes: Data? = try db.value("SELECT value FROM fingerprint_key")
        guard let bytes else { return nil }
        guard let key = FingerprintKey(bytes: bytes) else {
            throw StoreError(.corrupted, "read the key of fingerprints", "it has \(bytes.count) bytes")
        }
        return key
    }
}
