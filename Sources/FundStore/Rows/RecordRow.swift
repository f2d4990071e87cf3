import FundCore

/// The row of a message or blob that has a record.
struct RecordRow: Hashable {
    var id: Int64
    var digest: ContentDigest
    /// Nil for one that cannot be.
    var location: RecordLocation?

    static let columns = "id, digest, \(RecordLocation.columns)"

    init(_ row: Row) throws {
        (id, digest, location) = (row[0], try row.digest(1), RecordLocation(row, at: 2))
    }

    /// Calls `body` for each row with a record; it asks the database nothing.
    static func forEach(_ kind: RecordHeader.Kind, _ db: Database, _ body: (RecordRow) throws -> Void) throws {
        try db.forEach("SELECT \(columns) FROM \(kind.table) WHERE segment IS NOT NULL") { row in
            try body(RecordRow(row))
            return true
        }
    }
}

extension RecordLocation {
    /// Query for the places of all records that rows name.
    static let ofRows = """
        SELECT \(columns) FROM message WHERE segment IS NOT NULL
        UNION ALL SELECT \(columns) FROM blob WHERE segment IS NOT NULL
        """
}

extension RecordHeader.Kind {
    static let ofRows: [RecordHeader.Kind] = [.message, .blob]

    var table: String { self == .message ? "message" : "blob" }

    /// The record of a message or blob; nil for one that is not known, or has none.
    func location(of digest: ContentDigest, _ db: Database) throws -> RecordLocation? {
        try db.row("SELECT \(RecordLocation.columns) FROM \(table) WHERE digest = ?", [digest]).flatMap {
            RecordLocation($0, at: 0)
        }
    }

    /// Gives the row of a message or blob another record.
    func move(_ digest: ContentDigest, to location: RecordLocation, _ db: Database) throws {
        try db.execute(
            "UPDATE \(table) SET \(RecordLocation.assignments) WHERE digest = ?", location.arguments + [digest])
    }
}
