import FundCore

/// Numbers of the whole store, by name.
enum Counter {
    /// A number; nil when it was never set.
    static func value<Value: SQLValue>(_ name: String, _ db: Database) throws -> Value? {
        try db.value("SELECT value FROM counter WHERE name = ?", [name])
    }

    static func set(_ name: String, _ value: some SQLValue, _ db: Database) throws {
        try db.execute(
            "INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value])
    }
}
