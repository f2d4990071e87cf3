internal import Glibc
import FundCore

/// One pass over the rows and the log, in the order in which the bytes stand on the disk.
struct StoreCheck {
    /// Rows that are read at a time.
    private static let rowsAtATime = 2000

    private struct Entry {
        var kind: RecordHeader.Kind
        var row: RecordRow
        var size: Int64
        var location: RecordLocation
    }

    let log: StoreLog
    let isRepairing: Bool
    let onProgress: @Sendable (VerifyProgress) -> Void
    private(set) var report = VerifyReport()
    private(set) var broken: [BrokenBlob] = []
    /// Paths of segments whose places are empty; nil until they were looked for.
    private var misplaced: [SegmentNumber: String]?
    /// Segments that cannot be read: their records are not looked at.
    private var unreadable: Set<SegmentNumber> = []
    /// Whether there are rows that cannot be read: they say nothing of the records that they name, which are compared
    /// with their own checksums.
    private var hasLostRows = false
    private var progress = VerifyProgress(done: 0, total: 0, bytes: 0)

    var connection: StoreConnection { log.connection }
    var unmended: VerifyFinding.Action { isRepairing ? .unrepairable : .reported }

    init(log: StoreLog, isRepairing: Bool, onProgress: @escaping @Sendable (VerifyProgress) -> Void) {
        self.log = log
        self.isRepairing = isRepairing
        self.onProgress = onProgress
    }

    /// The findings, without those of broken blobs when they are to be repaired.
    mutating func run() throws -> (VerifyReport, [BrokenBlob]) {
        try checkDatabase()
        try checkSegments()
        try checkObjects()
        let places = try places()
        for start in stride(from: 0, to: places.count, by: Self.rowsAtATime) {
            for entry in try entries(places[start..<min(start + Self.rowsAtATime, places.count)]) { try check(entry) }
        }
        if hasLostRows { try checkRecordsWithoutRows(places) }
        if !isRepairing { for blob in broken { report.findings.append(blob.finding(.reported)) } }
        return (report, isRepairing ? broken : [])
    }

    private mutating func checkDatabase() throws {
        let unmended = unmended
        let problems = try connection.readAroundDamage("check the database") { try $0.problems() }
        let contradictions = try connection.readAroundDamage("check the library", LibraryCheck.contradictions)
        let changes = try connection.readAroundDamage("check rows", RowChecks.readableChanges)
        report.findings += problems.integrity.map { VerifyFinding(rows: .database, unmended, $0) }
        report.findings += problems.references.map {
            VerifyFinding(rows: .database, .unrepairable, "a row refers to one that is not there: \($0)")
        }
        report.findings += contradictions.map { VerifyFinding(rows: .library, unmended, $0) }
        report.findings += changes.map { VerifyFinding(rows: .changedRow, unmended, $0.description) }
        if let problem = ServerKey.problem(connection.location) {
            add(.damagedKey, StoreLocation.keyName, .unrepairable, problem)
        }
    }

    // MARK: Segments

    private mutating func checkSegments() throws {
        // First the files: a segment gets its row before its file.
        let names: [String]
        do { names = try DiskDirectory.names(in: connection.location.log) } catch {
            guard error.code == ENOENT else { throw error }
            names = []
        }
        // The file of one without needed bytes may be gone: it was purged, or the store is a backup.
        var ends: [SegmentNumber: Int64] = [:]
        var ahead: [SegmentNumber: Int64] = [:]
        let lost = try connection.readAroundDamage("read the segments") { db in
            try TableScan(
                db: db, table: "segment",
                columns: "CASE WHEN live_bytes > 0 THEN end_offset ELSE 0 END, is_ahead, end_offset", key: "number"
            ).run { row in
                ends[row[0]] = row[1]
                if row[2] { ahead[row[0]] = row[3] }
            }
        }
        hasLostRows = hasLostRows || !lost.isEmpty
        let alone = try connection.readAroundDamage("look for objects") { db in
            try Database.readable(or: []) { try Set(SegmentObjectRows(db: db).alone()) }
        }
        for (number, end) in ahead.sorted(by: { $0.key < $1.key }) { addNewer(number, behind: end) }
        // Where rows of segments cannot be read, no file is one that none of them knows.
        for name in names where lost.isEmpty && SegmentNumber(fileName: name).flatMap({ ends[$0] }) == nil {
            // A segment goes before its row: one that is still there is none of those that were just removed.
            if access("\(connection.location.log)/\(name)", F_OK) == 0 { try setAside(name) }
        }
        let needed = ends.filter { $0.value > LogFormat.openingBytes }.sorted { $0.key < $1.key }
        let present = Set(names)
        let missing = needed.count { !present.contains($0.key.fileName) && !alone.contains($0.key) }
        let areMost = try connection.readAroundDamage("look for lost segments") {
            try NeededSegments.areMost(missing, of: needed.count, $0)
        }
        if areMost {
            add(.damagedSegment, StoreLocation.logName, unmended, StoreGround.lostLog(missing, of: needed.count))
        }
        for (number, end) in needed {
            let path = number.nameInStore
            do {
                let segment = try log.segments.read(number)
                let size = try segment.size()
                if !present.contains(number.fileName), !alone.contains(number) { noteObjectInstead(of: path) }
                if segment.hasDamagedOpening { try noteDamagedOpening(of: segment, path) }
                if size < end { try noteMissingEnd(of: segment, path, size: size, end: end) }
                // The rows are read once more after what stands there, which a process may have committed meanwhile.
                if let mark = try segment.commitMark(behind: end), ahead[number] == nil,
                    try mark.end > self.end(of: number) ?? .max
                {
                    addNewer(number, behind: end)
                }
            } catch let damage as LogDamage {
                guard try self.end(of: number) != nil else { continue }
                let found = try misplaced ?? MisplacedSegments(log: log).find()
                misplaced = found
                let hint = found[number].map {
                    "; \(MisplacedSegments.hint($0)): `fundmail verify --repair` puts it back"
                }
                add(.damagedSegment, path, unmended, damage.description + (hint ?? ""))
            } catch let error as StoreError where error.code == .unreachable {
                unreadable.insert(number)
                add(.unreadable, path, unmended, error.detail)
            } catch let error as DiskError where [EACCES, EPERM].contains(error.code) {
                unreadable.insert(number)
                add(.unreadable, path, unmended, "\(error)")
            }
        }
    }

    private mutating func addNewer(_ number: SegmentNumber, behind end: Int64) {
        add(
            .newerSegment, number.nameInStore, unmended,
            "the database is older: what stands behind byte \(end) has no rows; `fundmail verify --repair` files it "
                + "again")
    }

    /// Notes a damaged opening. The salt of the segment is known all the same, and written there again.
    private mutating func noteDamagedOpening(of segment: any SegmentReader, _ path: String) throws {
        let number = segment.number
        let detail = "its first bytes have changed"
        guard isRepairing else { return add(.damagedSegment, path, .reported, detail) }
        guard segment.hasProvenSalt else {
            return add(.damagedSegment, path, .unrepairable, "\(detail), and nothing tells for certain what they were")
        }
        guard try SegmentFile.renewOpening(of: number, in: log.directory) else {
            return add(.damagedSegment, path, .unrepairable, "\(detail); a process uses it: run it again later")
        }
        add(.damagedSegment, path, .settled, "\(detail); they were written again")
    }

    /// Notes a missing end. What stood there may have come again since, and stands elsewhere.
    private mutating func noteMissingEnd(of segment: any SegmentReader, _ path: String, size: Int64, end: Int64) throws
    {
        let copy = try MisplacedSegments(log: log).longerCopy(of: segment, than: size).map {
            "; \($0) is a longer copy of it: `fundmail salvage` of the store gives what is whole in either, to be "
                + "replayed"
        }
        let detail = "\(end - size) bytes at its end are missing\(copy ?? "")"
        guard isRepairing else { return add(.damagedSegment, path, .reported, detail) }
        switch try SegmentRepair(log: log).forgetEnd(of: segment.number, from: size) {
        case .settled:
            add(.damagedSegment, path, .settled, "\(detail), and nothing that stood there is needed any more")
        case .needed(let count):
            add(.damagedSegment, path, .unrepairable, "\(detail), with \(count) records that are needed")
        case .inUse: add(.damagedSegment, path, .unrepairable, "\(detail); a process uses it: run it again later")
        }
    }

    /// End of a segment by its rows; nil for one that was removed meanwhile.
    private func end(of number: SegmentNumber) throws -> Int64? {
        try connection.read("look at a segment again") { db in
            try db.value("SELECT end_offset FROM segment WHERE number = ?", [number])
        }
    }

    /// Notes a file that no row knows. A segment with records is of a later state of this store, or of another one: it
    /// stays.
    private mutating func setAside(_ name: String) throws {
        let path = "\(StoreLocation.logName)/\(name)"
        if let number = SegmentNumber(fileName: name), var scan = try? LogScan(number, in: log.segments),
            case .record? = try? scan.next()
        {
            return add(
                .newerSegment, path, unmended,
                "no row knows it: the database is older, or it is of another store; `fundmail verify --repair` files "
                    + "what is in it")
        }
        let detail =
            SegmentNumber(fileName: name) == nil
            ? "it is no segment" : "no row knows it, and no record in it can be read"
        guard isRepairing else { return add(.strangeFile, path, .reported, detail) }
        let target = try connection.location.moveToLost(path, owner: connection.owner)
        add(.strangeFile, path, .movedToLost, "\(detail); now \(target)")
    }

    // MARK: Records

    /// All rows that have a record and can be read, in the order in which the records stand, in 16 bytes each: a store
    /// may have millions. Of a row its id and, in the lowest bit, whether it is of a blob.
    private mutating func places() throws -> [(order: UInt64, row: Int64)] {
        var (places, isWhole): ([(order: UInt64, row: Int64)], Bool) = ([], true)
        try connection.readAroundDamage("read where the records stand") { db in
            (places, isWhole) = ([], true)
            for kind in RecordHeader.Kind.ofRows {
                let scan = TableScan(db: db, table: kind.table, columns: RecordLocation.columns, key: "id")
                let lost = try scan.run { row in
                    guard let location = RecordLocation(row, at: 1) else { return }
                    places.append((location.order, (row[0] as Int64) << 1 | (kind == .blob ? 1 : 0)))
                }
                isWhole = isWhole && lost.isEmpty
            }
        }
        hasLostRows = hasLostRows || !isWhole
        progress.total = places.count
        return places.sorted { $0.order < $1.order }
    }

    private func entries(_ places: ArraySlice<(order: UInt64, row: Int64)>) throws -> [Entry] {
        var found: [Int64: Entry] = [:]
        try connection.read("read the rows") { db in
            for kind in RecordHeader.Kind.ofRows {
                let ids = places.filter { $0.row & 1 == (kind == .blob ? 1 : 0) }.map { $0.row >> 1 }
                let sql = "SELECT \(RecordRow.columns), size FROM \(kind.table) WHERE id \(SQL.isAmong("?1"))"
                try db.forEach(sql, [SQL.list(ids)]) { row in
                    let known = try RecordRow(row)
                    if let location = known.location {
                        found[known.id << 1 | (kind == .blob ? 1 : 0)] = Entry(
                            kind: kind, row: known, size: row[5], location: location)
                    }
                    return true
                }
            }
        }
        return places.compactMap { found[$0.row] }
    }

    private mutating func check(_ entry: Entry) throws {
        progress.done += 1
        guard !unreadable.contains(entry.location.segment) else { return onProgress(progress) }
        do {
            let record = try log.reader.record(at: entry.location, of: entry.row.digest, isNeeded: true)
            try verify(record)
            guard record.header.label.contentBytes == entry.size, record.header.label.kind == entry.kind else {
                throw LogDamage(.otherRecord, entry.location.segment, entry.location.offset)
            }
            if entry.kind == .message { report.rawMessages += 1 } else { report.blobs += 1 }
            report.bytes += entry.size
            progress.bytes = report.bytes
            if record.state != .live { try settleState(of: record, entry) }
        } catch let damage as LogDamage {
            // Retention, a purge or a compaction may have come since its row was read.
            guard try isStill(entry) else { return onProgress(progress) }
            note(damage, entry)
        } catch let error as DiskError where error.code == EIO {
            note(LogDamage(.unreadable, entry.location.segment, entry.location.offset), entry, "\(error)")
        }
        onProgress(progress)
    }

    /// Settles that a record which is needed and whole does not say so.
    private mutating func settleState(of record: LogRecord, _ entry: Entry) throws {
        guard try isStill(entry) else { return }
        let detail = record.damage(record.state == .dead ? .dead : .state).description + ", and it is needed and whole"
        func note(_ action: VerifyFinding.Action, _ detail: String) {
            add(.damagedState, entry.location.segment.nameInStore, action, detail, entry.row.digest)
        }
        guard isRepairing else { return note(.reported, detail) }
        do {
            guard try SegmentRepair(log: log).renewState(of: record, ifNeeded: { try isStill(entry) }) else { return }
            note(.settled, "\(detail); it says so again")
        } catch let error as StoreError where error.code == .held {
            note(.unrepairable, "\(detail); a process uses the log: run it again later")
        }
    }

    /// Compares a record with its checksums, by its blocks alone where the rows of what it repeats cannot be read.
    private func verify(_ record: LogRecord) throws {
        do { try record.verify(log.blob) } catch let error as StoreError where error.code == .corrupted {
            try record.verifyBlocks()
        }
    }

    private func isStill(_ entry: Entry) throws -> Bool {
        do {
            return try connection.read("look at a row again") { db in
                let sql = "SELECT \(RecordRow.columns) FROM \(entry.kind.table) WHERE id = ?"
                return try db.row(sql, [entry.row.id]).map(RecordRow.init) == entry.row
            }
        } catch let error as StoreError where error.code == .corrupted { return true }
    }

    /// Compares records that no readable row names with their own checksums.
    private mutating func checkRecordsWithoutRows(_ places: [(order: UInt64, row: Int64)]) throws {
        let known = Set(places.map(\.order))
        for number in try log.segments.segments() where !unreadable.contains(number) {
            let found = try LogCheck.damages(in: number, log.segments) { known.contains($0.order) }
            for damage in found.damages { add(.damagedSegment, number.nameInStore, unmended, damage) }
        }
    }

    /// A raw message can be mended by nothing here; sending it again mends it.
    private mutating func note(_ damage: LogDamage, _ entry: Entry, _ detail: String? = nil) {
        let path = entry.location.segment.nameInStore
        let isMissing = damage.isMissingSegment
        let detail = detail ?? damage.description
        guard entry.kind == .blob else {
            return add(isMissing ? .missingRaw : .damagedRaw, path, unmended, detail, entry.row.digest)
        }
        broken.append(
            BrokenBlob(
                id: BlobRows.ID(entry.row.id), digest: entry.row.digest,
                kind: isMissing ? .missingBlob : .damagedBlob, path: path, detail: detail))
    }

    mutating func add(
        _ kind: VerifyFinding.Kind, _ path: String, _ action: VerifyFinding.Action, _ detail: String,
        _ digest: ContentDigest? = nil
    ) {
        report.findings.append(VerifyFinding(kind: kind, path: path, digest: digest, action: action, detail: detail))
    }
}
