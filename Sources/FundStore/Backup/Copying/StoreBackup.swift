internal import Glibc
import FundCore

/// Copies a store into a directory, while other processes go on with it. What an earlier backup brought there is not
/// copied again. At every moment the directory holds a whole store: the one before, or this one.
///
/// The database comes first, as it is at one moment; the segments then have all bytes that its rows know, since nothing
/// is given back to the disk meanwhile (`StoreLog.withoutReclaim`).
struct StoreBackup {
    let log: StoreLog
    let target: StoreLocation
    let options: BackupOptions
    let onProgress: @Sendable (_ done: Int64, _ total: Int64) -> Void
    private var report = BackupReport()
    /// The rest of an earlier backup whose own database cannot be read.
    private var remains: BackupRemains?
    /// Offsets of records that this run has seen to be in the backup and to say that they are needed: their headers,
    /// and all of their bytes where that is asked for.
    private var seen: [SegmentNumber: Set<Int64>] = [:]
    /// Segments whose damage was told of.
    private var reported: Set<SegmentNumber> = []

    private var source: StoreLocation { log.connection.location }
    private var directory: LogDirectory { LogDirectory(of: target) }
    private var draft: String { target.database + ".part" }
    private var folder: BackupTarget { BackupTarget(source: source, target: target) }
    private var lineage: BackupLineage { BackupLineage(log: log, target: target) }
    private var states: KeptStates { KeptStates(backup: target) }

    init(
        of log: StoreLog, to path: String, _ options: BackupOptions = BackupOptions(),
        onProgress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void
    ) {
        self.log = log
        target = StoreLocation(root: path)
        self.options = options
        self.onProgress = onProgress
    }

    /// An earlier backup in the same folder, and how much of it counts.
    private struct Earlier {
        /// Contents of the database that is there; nil without one.
        var contents: BackupContents?
        /// Whether the store goes on from it: what it knows of a segment stands in its file as it does here.
        var isTrusted: Bool
        var kept: [BackupState] = []
        /// States that go when this backup is done.
        var dropped: [BackupState] = []

        func trusted(_ number: SegmentNumber) -> BackupContents.Segment? {
            isTrusted ? contents?.segments[number] : nil
        }

        func isNeeded(_ number: SegmentNumber) -> Bool {
            contents?.segments[number] != nil || (kept + dropped).contains { $0.needs(number) }
        }
    }

    /// Throws `invalid` for a directory that is inside the store or holds something else, `conflict` for a backup that
    /// has what the store has not, `held` when the store gives bytes back to the disk just now, `outOfSpace`, `io`.
    /// What is damaged is reported, and what is whole is copied.
    mutating func run() throws -> BackupReport {
        try folder.prepare()
        return try log.withoutReclaim {
            let found = try BackupRemains.read(target)
            let before = found.contents
            remains = found.remains
            let origin: Origin
            let contents: BackupContents
            do {
                try refuseAnotherStore(before)
                origin = try judge(before)
                contents = try copyDatabase()
            } catch let error where ConnectionPool.isDamage(error) {
                unlink(draft)
                let part = LogBackup(source: source, log: log.segments, target: target)
                return try part.run(beside: before != nil || remains != nil, without: "\(error)")
            }
            let earlier = try keepStates(before, contents, origin)
            let ends = try copySegments(contents, earlier)
            report.damages += try folder.copyKey()
            try keepRemains(contents, earlier, ends)
            // An earlier backup's database was closed; these can only be of a process that opened it since, and must
            // not be taken for the new one's.
            for path in [target.writeAheadLog, target.sharedMemory] { unlink(path) }
            try DiskFile.rename(draft, to: target.database)
            try DiskFile.syncNames(in: target.root)
            // Only now: the database before needs what stood there.
            for (number, end) in ends.sorted(by: { $0.key < $1.key }) {
                switch end {
                case .replace: try putInPlace(number)
                case .giveBack: try giveBack(number)
                }
            }
            try removeSuperseded(contents, earlier)
            report.damages += try hiddenRecords()
            return report
        }
    }

    /// Origin of the state of an earlier backup.
    private enum Origin {
        /// A state from which the store goes on.
        case own
        /// A state that went another way, with nothing that the store has not: only its database may say other things.
        case twin
        /// A state that has what the store has not, and is replaced by force.
        case other
    }

    /// Throws `conflict` for one that has what the store has not, unless it is to be replaced by force.
    private mutating func judge(_ before: BackupContents?) throws -> Origin {
        guard let before, let conflict = try lineage.conflict(with: before) else { return .own }
        let loss = try lineage.loss()
        if options.keptStates > 0, loss.isNothing, try lineage.conflictByRecords(with: before) == nil { return .twin }
        guard options.isForced else { throw lineage.refusal(conflict, loss) }
        report.loss = loss
        // They are of the history that is replaced.
        try states.remove(states.all(), keeping: [])
        return .other
    }

    /// The last step for a segment of the backup, once the new database is there.
    private enum Ending {
        /// A draft takes its place.
        case replace
        /// Bytes of records that the store has given up go.
        case giveBack
    }

    private func draft(of number: SegmentNumber) -> String { "\(target.temporary)/\(number.fileName)" }
    /// File that stands there while bytes are to be given back, so that a backup which was broken off is not forgotten.
    private func giveBackMark(of number: SegmentNumber) -> String { draft(of: number) + Self.giveBackSuffix }
    private static let giveBackSuffix = ".dead"

    private func putInPlace(_ number: SegmentNumber) throws {
        try DiskFile.rename(draft(of: number), to: directory.path(of: number))
    }

    /// Gives bytes back in the backup's own file: damage of the store's does not come into it.
    private func giveBack(_ number: SegmentNumber) throws {
        do {
            var scan = try LogScan(number, in: log.segments)
            var dead: [LogRecord] = []
            try scan.forEachRecord { record, state in if state == .dead { dead.append(record) } }
            // A state that has changed in the store gives nothing up.
            let unneeded = try NeededRecords(location: target).unneeded(dead)
            let held = try directory.giveUp(unneeded.map { ($0.location, $0.header.label.digest) }, in: number)
            // Bytes that are read just now go the next time.
            if held.isEmpty { unlink(giveBackMark(of: number)) }
        } catch is LogDamage {}  // it was reported when the segment was copied
    }

    /// Refuses a backup of another store, before anything of it is changed.
    private func refuseAnotherStore(_ before: BackupContents?) throws {
        let own = try log.connection.read("read what is to be copied") { try BackupContents($0) }
        let refusal = folder.anotherStore
        if let before { guard before.identity == own.identity else { throw refusal } }
        for number in try directory.segments() {
            guard before != nil || remains != nil || own.segments[number] != nil else { throw refusal }
            guard before == nil, let original = try? log.segments.read(number),
                let copied = try? directory.read(number)
            else { continue }
            guard copied.salt == original.salt else { throw refusal }
        }
    }

    // MARK: Database

    /// Copies the rows as they are at one moment, into a database of SQLite, whatever engine has them.
    private mutating func copyDatabase() throws -> BackupContents {
        let code = Int64.random(in: 1 ... .max)
        try log.connection.write("note a backup", .reserve) { try BackupTokens(db: $0).add(code) }
        FileCopy.remove(draft)
        switch log.connection.engine {
        case .file: try DatabaseFile.copy(source.database, to: draft)
        case .server(let server): try FileCopy.write(server, to: draft)
        }
        // A damaged page is copied as well, unless SQLite stumbles over it.
        let (contents, problem) = try DatabaseFile.read(draft) { db in
            (try BackupContents(db), try db.integrityProblems().first)
        }
        if let problem { throw StoreError(.corrupted, "copy the database", problem.text) }
        // There, too: a store that is made of the copy knows as much as this one.
        try DatabaseFile.change(draft) { db in
            try BackupTokens(db: db).note(code, contents.progress)
            try StoreHistory.markCopy(db)
        }
        try log.connection.write("note a backup", .reserve) { try BackupTokens(db: $0).note(code, contents.progress) }
        try DiskFile.sync(draft)
        report.databaseBytes = DiskFile.size(of: draft) ?? 0
        return contents
    }

    /// Keeps the state that is there beside the new one, unless nothing has changed since.
    private mutating func keepStates(
        _ before: BackupContents?, _ contents: BackupContents, _ origin: Origin
    ) throws -> Earlier {
        let isTrusted = origin != .other
        if let before, isTrusted, options.keptStates > 0,
            origin == .twin || before.progress != contents.progress || before.changes != contents.changes
                || before.token == nil
        {
            try states.keepLatest(before)
        }
        for name in try states.renewLists() {
            report.renewals.append("the list of segments of the state \(name) was damaged and was made anew")
        }
        // Before anything is removed that no list names.
        if options.isChecked {
            let (damages, renewals) = try states.check()
            report.damages += damages
            report.renewals += renewals
        }
        let all = try states.all()
        report.keptStates = min(all.count, options.keptStates)
        return Earlier(
            contents: before, isTrusted: isTrusted, kept: Array(all.prefix(options.keptStates)),
            dropped: Array(all.dropFirst(options.keptStates)))
    }

    // MARK: Segments

    /// Copies the segments, and gives the last steps for them.
    private mutating func copySegments(
        _ contents: BackupContents, _ earlier: Earlier
    ) throws -> [SegmentNumber: Ending] {
        report.segments = contents.segments.count
        report.logBytes = contents.segments.values.reduce(0) { $0 + $1.end }
        var (done, ends): (Int64, [SegmentNumber: Ending]) = (0, [:])
        for (number, segment) in contents.segments.sorted(by: { $0.key < $1.key }) {
            do {
                ends[number] = try copy(number, segment, earlier)
            } catch let damage as LogDamage {
                report.damages.append(damage.description)
                reported.insert(number)
            }
            done += segment.end
            onProgress(done, report.logBytes)
        }
        try directory.sync()
        report.damages += try UncopiedRecords(log: log).found()
        return ends
    }

    /// Copies what is new of a segment behind what is there; where that will not do, all of it beside that. Throws
    /// `LogDamage` when it is damaged, after what is whole was copied.
    private mutating func copy(
        _ number: SegmentNumber, _ segment: BackupContents.Segment, _ earlier: Earlier
    ) throws -> Ending? {
        let original = try log.segments.read(number)
        let end = min(segment.end, try original.size())
        let path = directory.path(of: number)
        let size = DiskFile.size(of: path)
        // Left by a backup that was broken off: what stands in its place may be of before that.
        let isBrokenOff = DiskFile.size(of: draft(of: number)) != nil
        var ending: Ending?
        if let known = earlier.trusted(number), (size ?? 0) < known.end, !isBrokenOff {
            report.renewals.append(
                "\(number.fileName) was \(size == nil ? "missing" : "cut off") in the backup and was copied anew")
        }
        if let known = earlier.trusted(number), let size, size >= known.end, !isBrokenOff {
            if try !mend(number, original, upTo: min(known.end, end), isDeep: options.isChecked) {
                try write(original, 0..<end, into: draft(of: number))
                report.renewals.append("\(number.fileName) could not be read in the backup and was copied anew")
                ending = .replace
            } else if known.end < end {
                try write(original, known.end..<end, into: path)
            }
            if ending == nil, mayGiveBack(number, segment, earlier) {
                close(try DiskFile.open(giveBackMark(of: number), owner: nil))
                ending = .giveBack
            }
        } else if !isBrokenOff, try isWhole(number, segment, end, earlier) {
            // It was copied before, under another state of the store or by a backup that was broken off.
            if options.isChecked { _ = try mend(number, original, upTo: end, isDeep: true) }
        } else if size != nil, earlier.isNeeded(number) {
            try write(original, 0..<end, into: draft(of: number))
            ending = .replace
        } else {
            try write(original, 0..<end, into: draft(of: number))
            if let remains, size != nil, try !lineage.holds(number) { try remains.keep(number, from: path) }
            try putInPlace(number)
        }
        guard end == segment.end else { throw LogDamage(.cutOff, number, end) }
        return ending
    }

    /// Mends a segment of the backup; false where all of its file has to be copied anew.
    private mutating func mend(
        _ number: SegmentNumber, _ original: any SegmentReader, upTo end: Int64, isDeep: Bool
    ) throws -> Bool {
        var mend = SegmentMend(number: number, original: original, directory: directory, end: end, isDeep: isDeep)
        guard try mend.run() else { return false }
        if mend.mended > 0 {
            report.renewals.append("\(number.fileName): damaged records in the backup, copied anew: \(mend.mended)")
        }
        seen[number] = mend.whole
        if mend.lost > 0 {
            reported.insert(number)
            report.damages.append(
                "\(number.fileName): records that are damaged in the store and in the backup: \(mend.lost)")
        }
        return true
    }

    /// Keeps what a database that cannot be read may need and the store has not, before a new one takes its place.
    private mutating func keepRemains(
        _ contents: BackupContents, _ earlier: Earlier, _ ends: [SegmentNumber: Ending]
    ) throws {
        guard let remains else { return }
        for (number, end) in ends where end == .replace {
            if try !lineage.holds(number) { try remains.keep(number, from: directory.path(of: number)) }
        }
        try takeOut(contents, earlier)
        report.renewals.append(try remains.keepDatabase())
    }

    /// Takes segments out of the backup that the store has no more: a kept state or the remains may need them.
    private func takeOut(_ contents: BackupContents, _ earlier: Earlier) throws {
        for number in try directory.segments() where contents.segments[number] == nil {
            let path = directory.path(of: number)
            if earlier.kept.contains(where: { $0.needs(number) }) {
                try states.take(number, from: path)
            } else if let remains {
                try remains.keep(number, from: path)
            } else {
                unlink(path)
            }
        }
    }

    /// Whether a file of which no trusted database speaks has the very records of the store's, and nothing else.
    private func isWhole(
        _ number: SegmentNumber, _ segment: BackupContents.Segment, _ end: Int64, _ earlier: Earlier
    ) throws -> Bool {
        guard DiskFile.size(of: directory.path(of: number)) == end,
            earlier.contents.map({ $0.segments[number]?.released == segment.released }) ?? true
        else { return false }
        return try log.segments.hasSameRecords(of: number, as: directory, upTo: end)
    }

    /// Whether something was given up since the segment was copied, and no kept state needs it any more.
    private func mayGiveBack(_ number: SegmentNumber, _ segment: BackupContents.Segment, _ earlier: Earlier) -> Bool {
        func hasMore(_ states: [BackupContents.Segment?]) -> Bool {
            states.contains { $0.map { $0.released != segment.released } ?? false }
        }
        let wasBrokenOff = DiskFile.size(of: giveBackMark(of: number)) != nil
        guard
            wasBrokenOff || hasMore([earlier.contents?.segments[number]] + earlier.dropped.map { $0.segments[number] })
        else { return false }
        return !hasMore(earlier.kept.map { $0.segments[number] }) && !earlier.kept.contains { $0.problem != nil }
    }

    private mutating func write(_ original: any SegmentReader, _ range: Range<Int64>, into path: String) throws {
        if range.lowerBound == 0 {
            unlink(path)
            seen[original.number] = nil
        }
        var copy = SegmentCopy(of: original)
        defer { report.copiedBytes += copy.copiedBytes }
        try copy.write(range, into: path)
        // Their blocks were not compared with anything.
        guard !options.isChecked else { return }
        var scan = try LogScan(original, from: range.lowerBound, upTo: range.upperBound)
        try scan.forEachRecord { record, state in
            if state == .live { seen[original.number, default: []].insert(record.header.offset) }
        }
    }

    /// Finds damage that came from the store: a header that was damaged there is copied as it is, and hides its record.
    /// Nothing is read of what this run has seen already.
    private func hiddenRecords() throws -> [String] {
        try NeededRecords(location: target).damages { location in
            if reported.contains(location.segment) || seen[location.segment]?.contains(location.offset) == true {
                return nil
            }
            return options.isChecked ? .blocks : .header
        }
    }

    /// Removes segments that the store has no more, states beyond those to be kept, and what a backup that was broken
    /// off has left.
    private func removeSuperseded(_ contents: BackupContents, _ earlier: Earlier) throws {
        try takeOut(contents, earlier)
        try states.remove(earlier.dropped, keeping: earlier.kept)
        for name in try DiskDirectory.names(in: target.temporary) where SegmentNumber(fileName: name) != nil {
            unlink("\(target.temporary)/\(name)")
        }
        try directory.sync()
    }
}
