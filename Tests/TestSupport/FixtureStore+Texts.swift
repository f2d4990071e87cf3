internal import GRDB

extension FixtureStore {
    /// The text bodies of filed mail, by the digest of the raw message in hexadecimal digits.
    package func texts() throws -> [String: String] {
        let database = try DatabaseQueue(path: folder + "/store/fundmail.sqlite")
        defer { try? database.close() }
        return try database.read { database in
            let sql = "SELECT lower(hex(message.digest)), text FROM email JOIN message ON message.id = message_id"
            let rows = try Row.fetchAll(database, sql: sql)
            return Dictionary(rows.map { ($0[0] as String, $0[1] as String? ?? "") }) { first, _ in first }
        }
    }
}
