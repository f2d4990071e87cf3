import FundCore

/// The log's segments in table `segment`.
struct SQLSegmentCatalog: SegmentCatalog {
    let rows: any RowDatabase

    func add() throws -> SegmentNumber {
        try rows.write("add a segment to the log", .reserve) { db in
            let sql = "INSERT INTO segment (end_offset) VALUES (?) RETURNING number"
            guard let number: SegmentNumber = try db.value(sql, [LogFormat.openingBytes]) else {
                throw StoreError(.io, "add a segment to the log", "the database gave no number")
            }
            return number
        }
    }

    func withdraw(_ number: SegmentNumber) throws {
        try rows.write("withdraw a segment of the log", .reserve) { db in
            try db.execute("DELETE FROM segment WHERE number = ?", [number])
        }
    }

    func open() throws -> [SegmentNumber] {
        try rows.read("look for a segment of the log") { db in
            try db.values("SELECT number FROM segment WHERE is_sealed = 0 AND is_ahead = 0 ORDER BY number DESC")
        }
    }

    /// Salt of a segment; nil where no record of it had a row yet.
    func salt(of number: SegmentNumber) throws -> UInt64? {
        let salt: Int64? = try rows.read("look up a segment's salt") { db in
            try db.value("SELECT salt FROM segment WHERE number = ?", [number])
        }
        return salt.map(UInt64.init(bitPattern:))
    }

    func position() throws -> Int64 {
        try rows.read("look how far the database has come") { try LogPosition.of($0) }
    }

    func leave(_ number: SegmentNumber, _ mark: CommitMark) throws {
        try rows.write("leave a segment of a newer log", .reserve) { db in
            guard try SegmentRows(db: db).leave(number) else { return }
            try LogPosition.pass(mark.position, db)
            try NewerLog(segments: [number]).note(db)
            try StoreHistory.begin(db)
        }
    }

    func takeOver(_ number: SegmentNumber, salt: UInt64) throws -> Int64? {
        try rows.write("take over a segment of the log", .reserve) { db in
            try db.value(
                """
                UPDATE segment SET end_offset = end_offset WHERE number = ? AND is_sealed = 0
                    AND is_ahead = 0 AND (salt IS NULL OR salt = ?) RETURNING end_offset
                """, [number, Int64(bitPattern: salt)])
        }
    }
}
