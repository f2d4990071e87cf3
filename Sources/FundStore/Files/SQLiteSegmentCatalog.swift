import FundCore

/// What the rows know of the log's segments.
struct SQLiteSegmentCatalog: SegmentCatalog {
    let connection: StoreConnection

    func add() throws -> SegmentNumber {
        try connection.write("add a segment to the log", .reserve) { db in
            let sql = "INSERT INTO segment (end_offset) VALUES (?) RETURNING number"
            guard let number: SegmentNumber = try db.value(sql, [LogFormat.openingBytes]) else {
                throw StoreError(.io, "add a segment to the log", "the database gave no number")
            }
            return number
        }
    }

    func withdraw(_ number: SegmentNumber) throws {
        try connection.write("withdraw a segment of the log", .reserve) { db in
            try db.execute("DELETE FROM segment WHERE number = ?", [number])
        }
    }

    func open() throws -> [SegmentNumber] {
        try connection.read("look for a segment of the log") { db in
            try db.values("SELECT number FROM segment WHERE is_sealed = 0 ORDER BY number DESC")
        }
    }

    func takeOver(_ number: SegmentNumber, salt: UInt64) throws -> Int64? {
        try connection.write("take over a segment of the log", .reserve) { db in
            try db.value(
                """
                UPDATE segment SET end_offset = end_offset WHERE number = ? AND is_sealed = 0
                    AND (salt IS NULL OR salt = ?) RETURNING end_offset
                """, [number, Int64(bitPattern: salt)])
        }
    }
}
