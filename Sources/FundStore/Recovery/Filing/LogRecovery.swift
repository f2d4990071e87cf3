package import FundCore
internal import Synchronization

/// Files records of the log again that no row knows: all of a log whose database is lost, or what a log has behind an
/// older database. Mail goes through the pipeline (`mail`), then the contents of uploads come into a fund of their own
/// (`fileUploads`), then `finish` notes what the log has.
///
/// Records that stand whole in a segment of the store get rows where they stand; others are written anew. It may be
/// broken off at any moment and begun again: a record that has a row by then is passed over.
package final class LogRecovery: Sendable {
    private struct State {
        /// The record of each message that was read.
        var messages: [ContentDigest: Int] = [:]
        /// Contents that belong to mail.
        var mailContents: Set<ContentDigest> = []
        /// Indices in `left` of files that could not be read as a whole.
        var damaged: Set<Int32> = []
        var damages: [LeftDamage]
        /// Indices of records that were filed although they do not say that they are live.
        var damagedStates: Set<Int> = []
        /// The count that `removedElsewhere` gives.
        var removedElsewhere = 0
        /// The count that `unproven` gives.
        var unproven = 0
    }

    let log: StoreLog
    let left: LeftLog
    /// The store's own among the segments of `left`, whose records may have rows where they stand.
    private let own: [Int32: SegmentNumber]
    /// Every record of these is filed again by this: segments as a whole, in the order of `left`.
    private let isWholeLog: Bool
    private let state: Mutex<State>

    var connection: StoreConnection { log.connection }

    /// - Parameters:
    ///   - own: by their paths, the segments of the store that have, or are to get, a row.
    ///   - isWholeLog: no row knows any of them: the segments are sealed.
    init(_ left: LeftLog, own: [String: SegmentNumber], isWholeLog: Bool, in log: StoreLog) {
        self.log = log
        self.left = left
        self.isWholeLog = isWholeLog
        self.own = left.segments.indices.reduce(into: [:]) { result, index in
            let segment = left.segments[index]
            if segment.isWhole, own[segment.path] == segment.number { result[Int32(index)] = segment.number }
        }
        state = Mutex(State(damages: left.damages))
    }

    /// Sentences about what could not be read.
    package var damages: [String] { state.withLock { $0.damages.map(\.description) } }

    /// Sentences about records that were written anew because their state has changed, or says that they were given up
    /// and a row of the database before needs them.
    package var damagedStates: [String] {
        state.withLock(\.damagedStates).sorted().compactMap { left.stateDamage(of: $0)?.description }
    }

    /// Count of filed messages and uploads of which another copy of the log says that they were removed.
    package var removedElsewhere: Int { state.withLock(\.removedElsewhere) }

    /// Count of messages from a segment so damaged that nothing tells its records from what came by mail.
    package var unproven: Int { state.withLock(\.unproven) }

    /// Count of segments that were found.
    package var segmentCount: Int { left.segments.count }

    // MARK: Segments

    /// Gives the store's own segments rows. A segment that has one keeps it.
    func addSegments() throws {
        try connection.write("add segments to the log") { db in
            let rows = SegmentRows(db: db)
            for (index, number) in own.sorted(by: { $0.value < $1.value }) {
                let segment = left.segments[Int(index)]
                guard isWholeLog else {
                    // Until `finishSegments` it counts as one that is ahead: a run that finds it after this was broken
                    // off files the rest, and nothing is appended to it, compacted or removed meanwhile.
                    try rows.takeIn(number, salt: segment.salt)
                    _ = try rows.leave(number)
                    continue
                }
                try db.execute(
                    """
                    INSERT INTO segment (number, end_offset, is_sealed, salt) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING
                    """, [number, segment.end, Int64(bitPattern: segment.salt)])
            }
        }
        log.adoption.begin(self)
    }

    /// Seals the segments. To be called when all is filed: what was looked at has no rows to come, and nothing is
    /// appended behind it.
    func finishSegments() throws {
        log.adoption.end()
        try connection.write("finish segments of the log") { db in
            for (index, number) in own {
                try db.execute(
                    """
                    UPDATE segment SET end_offset = \(SQL.greatest("end_offset", "?")), is_sealed = 1, is_ahead = 0
                    WHERE number = ?
                    """, [left.segments[Int(index)].end, number])
            }
        }
    }

    /// Sees to it that nothing is lost that could not be read: a segment of which rows know the rest gets a second name
    /// in `lost/`, and one that cannot be used moves there. Gives the new paths.
    package func keepDamaged() throws -> [String] {
        let location = connection.location
        let damaged = state.withLock { $0.damaged }
        let folder = location.realLog
        return try left.segments.enumerated().compactMap { index, segment in
            let name = segment.path.dropFirst(folder.utf8.count + 1)
            guard segment.path.hasPrefix(folder + "/"), DiskFile.size(of: segment.path) != nil else { return nil }
            if own[Int32(index)] == nil {
                // Rows stay with the file that they have, also where its beginning has changed.
                guard try isWholeLog || !hasRow(String(name)) else { return nil }
                return try location.moveToLost("\(StoreLocation.logName)/\(name)", owner: connection.owner)
            }
            guard segment.hasDamage || damaged.contains(Int32(index)) else { return nil }
            return try location.keepInLost("\(StoreLocation.logName)/\(name)", owner: connection.owner)
        }
    }

    private func hasRow(_ name: String) throws -> Bool {
        guard let number = SegmentNumber(fileName: name) else { return false }
        return try connection.read("look at a segment") { try SegmentRows(db: $0).hasRow(of: number) }
    }

    // MARK: Mail

    /// The mail of the log that no row knows, in the order in which it came.
    ///
    /// - Parameter place: where a message came from, and by which rules it is routed, by the origin of its record, and
    ///   by whether that is certain to be a record.
    package func mail(_ place: @escaping RecoveredMail.Place) throws -> any MessageSource {
        var seen: Set<ContentDigest> = []
        let messages = try left.records.indices.filter { index in
            let record = left.records[index]
            guard record.kind == .message, seen.insert(record.digest).inserted else { return false }
            // One that was given up may have no bytes left.
            return try !left.isRemovedElsewhere(record.digest, .message) || left.wholeIndex(record.digest) != nil
        }
        let unknown = try connection.read("look for messages without rows") { db in
            try messages.filter { try !Self.isKnown(left.records[$0].digest, "message", db) }
        }
        let sorted = left.inOrder(unknown)
        state.withLock { state in
            state.removedElsewhere = sorted.count(where: { left.isRemovedElsewhere(left.records[$0].digest, .message) })
            state.unproven = sorted.count(where: { !left.isProven($0) })
        }
        return RecoveredMail(sorted, of: self, place)
    }

    static func isKnown(_ digest: ContentDigest, _ table: String, _ db: Database) throws -> Bool {
        try db.value("SELECT EXISTS (SELECT 1 FROM \(table) WHERE digest = ?)", [digest]) ?? false
    }

    /// The origin of a message; empty when its record cannot be read.
    func origin(of index: Int) -> String { (try? left.open(index).header.label.origin) ?? "" }

    /// A longer header is refused as too complex.
    private static let maxHeaderBytes: Int64 = 256 << 10

    /// Whether of a message only the header was fetched, because it was larger than the limit: what has parts has a
    /// body.
    func isHeaderOnly(_ index: Int) -> Bool {
        let record = left.records[index]
        guard !record.isComposed, record.contentBytes <= Self.maxHeaderBytes else { return false }
        var bytes: [UInt8] = []
        guard (try? left.read(index) { bytes += $0 }) != nil else { return false }
        let text = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").lowercased()
        if let end = text.firstRange(of: "\n\n"), end.upperBound < text.endIndex { return false }
        guard let field = text.firstRange(of: "\ncontent-type:") else { return false }
        return text[field.upperBound...].drop(while: \.isWhitespace).hasPrefix("multipart/")
    }

    /// The bytes of a message, of the first of its records that is whole. Throws `LeftDamage`, and `DiskError` when
    /// the store cannot be written.
    func spool(_ index: Int, into directory: SpoolDirectory) throws -> SpooledMessage {
        let record = left.records[index]
        var damages: [LeftDamage] = []
        for candidate in left.indices(of: record.digest, .message) {
            var writer = directory.makeWriter(expecting: record.contentBytes)
            do { try left.read(candidate) { try writer.append($0) } } catch let damage as LeftDamage {
                damages.append(damage)
                continue
            }
            state.withLock { $0.messages[record.digest] = candidate }
            return writer.finish()
        }
        let all = left.indices(of: record.digest, .message)
        let damage = damages.first ?? LeftDamage(left.path(of: index), "a message has no record")
        state.withLock { state in
            for candidate in all { state.damaged.insert(left.records[candidate].file) }
            state.damages += damages
        }
        throw damage
    }

    /// Notes what came with these messages: it is no upload.
    func note(_ messages: [StoredMessage]) {
        state.withLock { state in
            for message in messages {
                state.mailContents.insert(message.message.spooled.digest)
                guard case .message(let parsed) = message.message.parsed else { continue }
                state.mailContents.formUnion(parsed.attachments.map(\.digest))
            }
        }
    }

    func belongsToMail(_ digest: ContentDigest) -> Bool { state.withLock { $0.mailContents.contains(digest) } }

    func noteRemovedElsewhere(_ digests: [ContentDigest]) {
        let count = digests.count(where: { left.isRemovedElsewhere($0, .blob) })
        state.withLock { $0.removedElsewhere += count }
    }

    func noteDamage(_ damage: LeftDamage, of index: Int) {
        state.withLock { state in
            state.damaged.insert(left.records[index].file)
            state.damages.append(damage)
        }
    }
}

extension LogRecovery: RecordsWithoutRows {
    func message(_ digest: ContentDigest) throws -> (record: AppendedRecord, contents: [RepeatedContent])? {
        guard let index = state.withLock({ $0.messages[digest] }), let record = try adopted(index) else { return nil }
        let repeated = try left.open(index).repeatedContents()
        var contents: [RepeatedContent] = []
        for digest in repeated where !contents.contains(where: { $0.digest == digest }) {
            // One that stands elsewhere has to be written anew, and with it the message.
            let size: Int64
            if let index = try left.wholeIndex(digest), left.records[index].kind == .blob, try adopted(index) != nil {
                size = left.records[index].contentBytes
            } else if let known = try? log.blob(digest), (try? known.verifyBlocks()) != nil {
                size = known.header.label.contentBytes
            } else {
                return nil
            }
            contents.append(RepeatedContent(digest: digest, size: size))
        }
        return (record, contents)
    }

    func blob(_ digest: ContentDigest) throws -> AppendedRecord? {
        guard let index = try left.wholeIndex(digest), left.records[index].kind == .blob else { return nil }
        return try adopted(index)
    }

    /// The record to be adopted; nil for one that has to be copied.
    func adopted(_ index: Int) throws -> AppendedRecord? {
        let record = left.records[index]
        guard record.state == .live else {
            state.withLock { _ = $0.damagedStates.insert(index) }
            return nil
        }
        guard let number = own[record.file] else { return nil }
        let location = RecordLocation(segment: number, offset: record.offset, count: record.count)
        return AppendedRecord(adopting: location, in: try left.segment(record.file))
    }
}

/// The mail of a log that is filed again.
package final class RecoveredMail: MessageSource {
    /// Tells where a message came from and how it is routed, by the origin of its record and by whether that is
    /// certain.
    package typealias Place =
        @Sendable (_ origin: String, _ isProven: Bool) -> (reference: SourceReference, policy: RoutingPolicy)

    private let messages: [Int]
    private let recovery: LogRecovery
    private let place: Place
    private let next = Mutex(0)

    /// - Parameter messages: records of the log.
    fileprivate init(_ messages: [Int], of recovery: LogRecovery, _ place: @escaping Place) {
        (self.messages, self.recovery, self.place) = (messages, recovery, place)
    }

    package func next(atMost count: Int) async throws -> [PendingMessage] {
        let range = next.withLock { next in
            let start = next
            next = min(next + count, messages.count)
            return start..<next
        }
        return range.map { position in
            let (index, recovery) = (messages[position], recovery)
            let record = recovery.left.records[index]
            let (reference, policy) = place(recovery.origin(of: index), recovery.left.isProven(index))
            var message = PendingMessage(reference: reference, expectedBytes: record.contentBytes) { directory in
                try recovery.spool(index, into: directory)
            }
            message.receivedAt = record.time
            if recovery.isHeaderOnly(index) {
                message.refusal = Refusal(
                    reason: .tooLarge, detail: "only its header is here: it was larger than the limit when it came")
            }
            message.policy = policy
            message.left = messages.count - position - 1
            return message
        }
    }

    package func acknowledge(_ messages: [StoredMessage]) async throws { recovery.note(messages) }

    package func finish() async throws {}
}
