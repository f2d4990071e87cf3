internal import FundCore
internal import ObjectStorage

/// Brings sealed segments into the bucket of a store, and takes out of it what nothing needs any more. One process at a
/// time does so. It may be killed at any moment: rows say before each step what is to come.
///
/// An object never changes. A segment does: bytes of dead records are given back. It is put anew then, under another
/// name, at most once a day.
struct ObjectUpkeep {
    /// Time between the moment since which nothing needs an object, and its deletion; and between two copies of a
    /// segment.
    static let delay = Duration.seconds(86_400)

    let log: StoreLog
    let objects: ObjectSegments
    let now: Timestamp
    /// Asked between two segments.
    let shouldStop: @Sendable () -> Bool
    let onProgress: @Sendable (BucketReport) -> Void
    var report = BucketReport()
    /// Uploads in parts that an earlier run began.
    private var begun: [SegmentNumber: SegmentObjectRows.Known] = [:]

    var connection: StoreConnection { log.connection }

    init(
        of log: StoreLog, in objects: ObjectSegments, now: Timestamp = .now,
        shouldStop: @escaping @Sendable () -> Bool = { false },
        onProgress: @escaping @Sendable (BucketReport) -> Void = { _ in }
    ) {
        (self.log, self.objects, self.now) = (log, objects, now)
        (self.shouldStop, self.onProgress) = (shouldStop, onProgress)
    }

    /// Puts what is missing, and deletes what is gone where it is told to. Does nothing while another process is at it,
    /// and gives nil. What was done before a failure stays.
    ///
    /// - Parameters:
    ///   - bytes: a segment that no process appends to is put, too, if it has so many bytes.
    ///   - limit: of the bytes of files that stay; nil for all.
    ///   - isDeleting: says that no copy of the store's folder uses the bucket. The store cannot know: a copy of a
    ///     machine has the same rows, and needs the same objects.
    mutating func run(sealing bytes: Int64, keeping limit: Int64?, isDeleting: Bool) throws -> BucketReport? {
        guard let lease = try connection.leases.take(.bucket, waitingUpTo: .zero) else { return nil }
        defer { lease.end() }
        try settleFiles()
        try seal(atLeast: bytes)
        let wanted = try connection.read("look for segments to put") { [now] in
            try SegmentObjectRows(db: $0).wanted(changedBefore: now - Self.delay)
        }
        try settleAttempts(wanted)
        for segment in wanted where !shouldStop() {
            try put(segment)
            onProgress(report)
        }
        try fetchChanged()
        if let limit { try giveBack(keeping: limit) }
        if isDeleting { try deleteGone() }
        return report
    }

    // MARK: Sealing

    /// Seals segments that no process appends to: they take no further record then, and can be put.
    private func seal(atLeast bytes: Int64) throws {
        let sql = """
            SELECT number FROM segment
            WHERE is_sealed = 0 AND is_ahead = 0 AND live_bytes > 0 AND end_offset >= ? ORDER BY number
            """
        let numbers: [SegmentNumber] = try connection.read("look for segments to seal") { try $0.values(sql, [bytes]) }
        if !numbers.isEmpty { log.leaveSegment() }
        for number in numbers {
            guard let file = try? log.directory.hold(number, for: .keeping) else { continue }
            try connection.write("seal a segment", .reserve) { db in
                let end: Int64? = try db.value(
                    """
                    SELECT end_offset FROM segment
                    WHERE number = ? AND is_sealed = 0 AND is_ahead = 0 AND (salt IS NULL OR salt = ?)
                    """, [number, Int64(bitPattern: file.salt)])
                // The next process that appends cuts off the rest that a killed one left.
                guard let end, try !file.hasRecords(behind: end) else { return }
                try db.execute("UPDATE segment SET is_sealed = 1 WHERE number = ?", [number])
            }
        }
    }

    /// Notes the files that are there although rows say that they went: their process was killed in between.
    private func settleFiles() throws {
        let files = Set(try log.directory.segments())
        let known = try connection.read("look for files that went") { try SegmentObjectRows(db: $0).all(.whole) }
        for object in known where object.isAlone && files.contains(object.object.number) {
            try write { try $0.setFile(object.object) }
        }
    }

    // MARK: Putting

    /// Gives up attempts that were broken off, but for uploads in parts of segments that are still to be put.
    private mutating func settleAttempts(_ wanted: [SegmentObjectRows.Wanted]) throws {
        let coming = try connection.read("look for attempts") { try SegmentObjectRows(db: $0).all(.coming) }
        let numbers = Set(wanted.map(\.number))
        var dropped: [SegmentObject] = []
        for attempt in coming {
            let number = attempt.object.number
            if attempt.upload != nil, numbers.contains(number), begun[number] == nil {
                begun[number] = attempt
            } else {
                dropped.append(attempt.object)
            }
        }
        guard !dropped.isEmpty else { return }
        try connection.write("give up attempts", .reserve) { [now] db in
            for object in dropped { try SegmentObjectRows(db: db).drop(object, at: now) }
        }
    }

    /// Puts a segment. One that a process appends to waits, and so does one that is damaged: no object that is whole
    /// makes room for it.
    private mutating func put(_ wanted: SegmentObjectRows.Wanted) throws {
        let number = wanted.number
        let file: any HeldSegment
        do {
            guard let held = try log.directory.hold(number, for: .keeping) else { return }
            file = held
        } catch let damage as LogDamage { return report.problems.append("\(damage)") }
        let damages = try LogCheck.damages(in: number, log.directory, upTo: wanted.end).damages
        guard damages.isEmpty else {
            return report.problems.append("\(number.fileName) is damaged (`fundmail verify`): \(damages[0])")
        }
        let (size, earlier) = (try file.size(), begun[number])
        let object = earlier?.object ?? SegmentObject(number)
        if earlier == nil {
            try write { try $0.add(object, at: now) }
            log.faults.reach(.afterObjectRow)
        }
        let upload = earlier?.upload.map { MultipartUpload(key: objects.key(of: object), id: $0) }
        do {
            let connection = connection
            let progress = ObjectSegments.Progress(begun: upload) { upload in
                try connection.write("note an upload", .reserve) {
                    try SegmentObjectRows(db: $0).note(upload.id, of: object)
                }
            }
            try objects.put(file, as: object, progress)
        } catch let error as StoreError where upload != nil && !error.isTemporary {
            // The next attempt begins anew.
            try write { try $0.drop(object, at: now) }
            throw error
        }
        log.faults.reach(.afterObjectPut)
        let isDone = try write { try $0.finish(object, bytes: size, released: wanted.released, at: now) }
        log.faults.reach(.afterObjectWhole)
        guard isDone else { return }
        report.put += 1
        report.putBytes += size
    }

    func write<Value>(_ body: (SegmentObjectRows) throws -> Value) throws -> Value {
        try connection.write("note an object", .reserve) { try body(SegmentObjectRows(db: $0)) }
    }

    // MARK: Deleting

    /// Deletes objects that nothing needs since a day. Nothing is deleted while a copy of the store, or the store as it
    /// was before a backup came back, may need it.
    private mutating func deleteGone() throws {
        let (gone, history) = try connection.read("look for objects that nothing needs") { [now] db in
            (
                try SegmentObjectRows(db: db).gone(before: now - Self.delay),
                try StoreHistory.current(db)
            )
        }
        guard !gone.isEmpty else { return }
        guard try objects.claimedHistories() == ["\(history)"] else {
            return report.problems.append(
                "\(gone.count) objects that nothing needs are not deleted, since the bucket was added to another state "
                    + "of this store; `fundmail bucket add --take-over` says that this one alone uses it")
        }
        for known in gone where !shouldStop() {
            try objects.remove(known.object, upload: known.upload)
            log.faults.reach(.afterObjectGone)
            try write { try $0.forget(known.object) }
            report.deleted += 1
        }
    }
}
