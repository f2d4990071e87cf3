import FundCore

/// Rows of segments as objects, within one transaction. An object has its row before it is put, and until it is
/// deleted: one without a row is never deleted.
struct SegmentObjectRows {
    /// State of an object.
    enum State: String {
        /// It is being put, or an attempt to put it was broken off.
        case coming
        /// It has all bytes of the segment.
        case whole
        /// Nothing needs it any more: it is deleted a day after.
        case going
    }

    /// An object with what its row says.
    struct Known: Hashable {
        var object: SegmentObject
        var bytes: Int64
        /// The file of the segment was given back to the disk.
        var isAlone: Bool
        /// The store's name of an upload in parts.
        var upload: String?

        init(_ row: Row) throws {
            let nonce: Int64 = row[1]
            object = SegmentObject(row[0], nonce: UInt64(bitPattern: nonce))
            (bytes, isAlone, upload) = (row[2], row[3], row[4])
        }
    }

    /// A segment that is to be put.
    struct Wanted: Hashable {
        var number: SegmentNumber
        /// End of its records.
        var end: Int64
        /// See `ObjectSchema`.
        var released: Int64
    }

    private static let columns = "number, nonce, bytes, is_alone, upload"

    let db: Database

    private static func arguments(_ object: SegmentObject) -> SQLArguments {
        [object.number, Int64(bitPattern: object.nonce)]
    }

    // MARK: Looking

    /// The object of a segment, with the segment's salt.
    func whole(_ number: SegmentNumber) throws -> (known: Known, salt: Int64?)? {
        try db.row(
            """
            SELECT segment.number, nonce, bytes, is_alone, upload, salt FROM segment_object
                JOIN segment ON segment.number = segment_object.number
            WHERE segment.number = ? AND state = ?
            """, [number, State.whole.rawValue]
        ).map { (try Known($0), $0[5]) }
    }

    /// Objects in a state, in the order of their segments.
    func all(_ state: State) throws -> [Known] {
        try db.rows(
            "SELECT \(Self.columns) FROM segment_object WHERE state = ? ORDER BY number, nonce", [state.rawValue]
        ).map(Known.init)
    }

    /// Objects that nothing needs since before `time`.
    func gone(before time: Timestamp) throws -> [Known] {
        try db.rows(
            "SELECT \(Self.columns) FROM segment_object WHERE state = ? AND changed_at < ? ORDER BY number, nonce",
            [State.going.rawValue, time]
        ).map(Known.init)
    }

    /// Segments whose files were given back to the disk.
    func alone() throws -> [SegmentNumber] {
        try db.values(
            "SELECT number FROM segment_object WHERE state = ? AND is_alone = 1 ORDER BY number",
            [State.whole.rawValue])
    }

    private static let isSealed = "is_sealed = 1 AND is_ahead = 0 AND live_bytes > 0"
    private static let hasDead = "EXISTS (SELECT 1 FROM dead_record WHERE dead_record.segment = segment.number)"

    /// Sealed segments without an object, and those of which bytes were given back since it was put, before `time`:
    /// they are put anew, so that what was purged does not stay in the store.
    func wanted(changedBefore time: Timestamp) throws -> [Wanted] {
        try db.rows(
            """
            SELECT number, end_offset, CASE WHEN \(Self.hasDead) THEN -1 ELSE released_bytes END FROM segment
            WHERE \(Self.isSealed) AND NOT EXISTS (
                SELECT 1 FROM segment_object WHERE segment_object.number = segment.number AND state = ?
                    AND (segment_object.released_bytes = segment.released_bytes OR changed_at > ? OR is_alone = 1
                        OR \(Self.hasDead)))
            ORDER BY number
            """, [State.whole.rawValue, time]
        ).map { Wanted(number: $0[0], end: $0[1], released: $0[2]) }
    }

    /// Objects that are what their segments are, which have files, in the order of the segments.
    func matching() throws -> [Known] {
        try db.rows(
            """
            SELECT segment.number, nonce, bytes, is_alone, upload FROM segment_object
                JOIN segment ON segment.number = segment_object.number
            WHERE state = ? AND is_alone = 0 AND \(Self.isSealed) AND NOT \(Self.hasDead)
                AND segment_object.released_bytes = segment.released_bytes
            ORDER BY segment.number
            """, [State.whole.rawValue]
        ).map(Known.init)
    }

    /// Objects without a file of whose segments records are to be given up, but not all.
    func changed() throws -> [Known] {
        try db.rows(
            """
            SELECT segment.number, nonce, bytes, is_alone, upload FROM segment_object
                JOIN segment ON segment.number = segment_object.number
            WHERE state = ? AND is_alone = 1 AND live_bytes > 0 AND \(Self.hasDead) ORDER BY segment.number
            """, [State.whole.rawValue]
        ).map(Known.init)
    }

    /// Whether nothing is left of a segment that has no file: all of it goes with the object.
    func isGoing(_ number: SegmentNumber) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM segment_object JOIN segment ON segment.number = segment_object.number
            WHERE segment.number = ? AND state = ? AND is_alone = 1 AND live_bytes = 0
            """, [number, State.whole.rawValue])
    }

    /// Segments that have no object: how many, and their bytes.
    func waiting() throws -> (segments: Int, bytes: Int64) {
        let row = try db.row(
            """
            SELECT count(*), coalesce(sum(end_offset), 0) FROM segment
            WHERE live_bytes > 0 AND NOT EXISTS (
                SELECT 1 FROM segment_object WHERE segment_object.number = segment.number AND state = ?)
            """, [State.whole.rawValue])
        guard let row else { return (0, 0) }
        return (row[0], row[1])
    }

    /// Objects that are whole: how many, and their bytes.
    func wholeCounts() throws -> (segments: Int, bytes: Int64, alone: Int) {
        let row = try db.row(
            """
            SELECT count(*), coalesce(sum(bytes), 0), coalesce(sum(is_alone), 0) FROM segment_object WHERE state = ?
            """, [State.whole.rawValue])
        guard let row else { return (0, 0, 0) }
        return (row[0], row[1], row[2])
    }

    // MARK: Changes

    /// An object is about to be put.
    func add(_ object: SegmentObject, at time: Timestamp) throws {
        try db.execute(
            """
            INSERT INTO segment_object (number, nonce, state, bytes, released_bytes, changed_at)
            VALUES (?, ?, ?, 0, -1, ?)
            """, Self.arguments(object) + [State.coming.rawValue, time])
    }

    /// An upload in parts has begun.
    func note(_ upload: String, of object: SegmentObject) throws {
        try db.execute(
            "UPDATE segment_object SET upload = ? WHERE number = ? AND nonce = ?", [upload] + Self.arguments(object))
    }

    /// An object has all bytes of its segment: it takes the place of the one before. One whose segment is gone by now
    /// goes, too. False then, and where it is not known.
    func finish(_ object: SegmentObject, bytes: Int64, released: Int64, at time: Timestamp) throws -> Bool {
        guard try SegmentRows(db: db).hasRow(of: object.number) else {
            try drop(object, at: time)
            return false
        }
        try dropWhole(object.number, at: time)
        return try db.execute(
            """
            UPDATE segment_object SET state = ?, bytes = ?, released_bytes = ?, changed_at = ?, upload = NULL
            WHERE number = ? AND nonce = ? AND state = ?
            """,
            [State.whole.rawValue, bytes, released, time] + Self.arguments(object) + [State.coming.rawValue]) > 0
    }

    /// Nothing needs an object any more. One stays that has a segment without a file.
    func drop(_ object: SegmentObject, at time: Timestamp) throws {
        try db.execute(
            "UPDATE segment_object SET state = ?, changed_at = ? WHERE number = ? AND nonce = ? AND is_alone = 0",
            [State.going.rawValue, time] + Self.arguments(object))
    }

    /// Nothing needs the object of a segment any more.
    func dropWhole(_ number: SegmentNumber, at time: Timestamp) throws {
        try db.execute(
            """
            UPDATE segment_object SET state = ?, is_alone = 0, changed_at = ? WHERE number = ? AND state = ?
            """, [State.going.rawValue, time, number, State.whole.rawValue])
    }

    /// An object is not what its segment is: it is put anew.
    func putAnew(_ object: SegmentObject) throws {
        try db.execute(
            "UPDATE segment_object SET released_bytes = -1 WHERE number = ? AND nonce = ?", Self.arguments(object))
    }

    /// The file of a segment is about to go. False where the object is not what the segment is any more.
    func setAlone(_ object: SegmentObject) throws -> Bool {
        guard try matching().contains(where: { $0.object == object }) else { return false }
        return try db.execute(
            "UPDATE segment_object SET is_alone = 1 WHERE number = ? AND nonce = ?", Self.arguments(object)) > 0
    }

    /// A segment has a file again.
    func setFile(_ object: SegmentObject) throws {
        try db.execute(
            "UPDATE segment_object SET is_alone = 0 WHERE number = ? AND nonce = ?", Self.arguments(object))
    }

    /// An object was deleted.
    func forget(_ object: SegmentObject) throws {
        try db.execute(
            "DELETE FROM segment_object WHERE number = ? AND nonce = ?", Self.arguments(object))
    }
}
