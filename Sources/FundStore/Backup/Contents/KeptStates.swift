internal import Glibc
import FundCore

/// Older states of the database in the folder of a backup, in `states/`: each packed, `NAME.sqlite.zst`, beside a list
/// of the segments that it needs, `NAME.segments`, which is written last and says that the state is whole. Segments
/// that the latest state does not need any more stand in `states/log/`.
struct KeptStates {
    private static let databaseSuffix = ".sqlite.zst"
    private static let listSuffix = ".segments"
    private static let partSuffix = ".part"
    private static let firstWord = "fundmail-state"

    let backup: StoreLocation

    private var folder: String { backup.states }
    /// Directory of the segments that only kept states need.
    var log: LogDirectory { LogDirectory(path: "\(folder)/\(StoreLocation.logName)", temporary: backup.temporary) }

    private func database(_ name: String) -> String { "\(folder)/\(name)\(Self.databaseSuffix)" }
    private func list(_ name: String) -> String { "\(folder)/\(name)\(Self.listSuffix)" }

    /// All states, the newest first.
    func all() throws -> [BackupState] {
        guard DiskFile.isFolder(folder) else { return [] }
        let names = try DiskDirectory.names(in: folder).filter { $0.hasSuffix(Self.listSuffix) }
        return try names.compactMap { try read(String($0.dropLast(Self.listSuffix.count))) }
            .sorted { $0.number > $1.number }
    }

    /// Reads a state; nil when it has no database. One whose list cannot be read has a `problem`.
    private func read(_ name: String) throws -> BackupState? {
        guard let bytes = DiskFile.size(of: database(name)) else { return nil }
        let damaged = BackupState(
            name: name, time: try DiskFile.modified(database(name)),
            number: name.split(separator: "-").last.flatMap { Int64($0) } ?? 0,
            commits: 0, databaseBytes: bytes, segments: [:],
            problem: "its list of segments, \(name)\(Self.listSuffix), is damaged")
        // A pipe in its place would be waited for.
        guard DiskFile.size(of: list(name)) != nil else { return damaged }
        var text: [UInt8] = []
        try FileBytes.read(list(name)) { text.append(contentsOf: $0) }
        // It ends with a line feed.
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.split(separator: " ") }[...]
        guard lines.popLast()?.isEmpty == true, let head = lines.popFirst(), head.count == 4,
            head[0] == Self.firstWord, let time = Int64(head[1]), let number = Int64(head[2]),
            let commits = Int64(head[3])
        else { return damaged }
        var segments: [SegmentNumber: BackupContents.Segment] = [:]
        for line in lines {
            guard line.count == 3, let number = UInt32(line[0]), let end = Int64(line[1]), let released = Int64(line[2])
            else { return damaged }
            segments[SegmentNumber(number)] = .init(end: end, released: released)
        }
        return BackupState(
            name: name, time: Timestamp(time), number: number, commits: commits, databaseBytes: bytes,
            segments: segments)
    }

    /// Makes the lists anew that cannot be read, from the states' own databases. Gives the names of these states.
    func renewLists() throws -> [String] {
        try all().filter { $0.problem != nil }.compactMap(\.name).filter { name in
            guard let contents = try contents(of: name) else { return false }
            try renewList(of: name, contents)
            return true
        }
    }

    private func renewList(of name: String, _ contents: BackupContents) throws {
        try writeList(of: name, contents.token?.at ?? DiskFile.modified(database(name)), contents)
    }

    /// Keeps the backup's present database, which has these contents. Does nothing the second time.
    func keepLatest(_ contents: BackupContents) throws {
        try DiskDirectory.make(folder, isPrivate: true)
        let time = try contents.token?.at ?? DiskFile.modified(backup.database)
        let name = Self.name(time, contents.token?.number ?? 0)
        guard DiskFile.size(of: list(name)) == nil else { return }
        let part = database(name) + Self.partSuffix
        try PackedFile.pack(backup.database, into: part)
        try DiskFile.rename(part, to: database(name))
        try writeList(of: name, time, contents)
    }

    /// The name of the state that has this token.
    static func name(of token: BackupContents.Token) -> String { name(token.at, token.number) }

    /// A name that sorts by time; two of one second differ.
    private static func name(_ time: Timestamp, _ number: Int64) -> String { "\(UTCStamp.basic(time))-\(number)" }

    private func writeList(of name: String, _ time: Timestamp, _ contents: BackupContents) throws {
        var lines = ["\(Self.firstWord) \(time) \(contents.token?.number ?? 0) \(contents.progress.position)"]
        for (number, segment) in contents.segments.sorted(by: { $0.key < $1.key }) {
            lines.append("\(number.value) \(segment.end) \(segment.released)")
        }
        let part = list(name) + Self.partSuffix
        unlink(part)
        try DiskFile.write(part) { append in
            try Array((lines.joined(separator: "\n") + "\n").utf8).withUnsafeBytes(append)
        }
        // Something else than a file may stand in its place.
        rmdir(list(name))
        try DiskFile.rename(part, to: list(name))
        try DiskFile.syncNames(in: folder)
    }

    // MARK: Checks

    /// Unpacks each state and compares it with its list of segments, which is written anew where it is wrong, and the
    /// segments with their checksums. Gives what is damaged, and what was mended, one sentence each.
    func check() throws -> (damages: [String], renewals: [String]) {
        guard DiskFile.isFolder(folder) else { return ([], []) }
        var (damages, renewals): ([String], [String]) = ([], [])
        let names = try DiskDirectory.names(in: folder)
        let states = Set(
            names.compactMap { name in
                [Self.databaseSuffix, Self.listSuffix].first { name.hasSuffix($0) }.map {
                    String(name.dropLast($0.count))
                }
            })
        for name in states.sorted() {
            guard let contents = try contents(of: name) else {
                damages.append(
                    "states/\(name) of the backup: its database is damaged, and `restore --state` cannot make a store "
                        + "of it, only of the others. It goes when newer states take its place (--keep); to be rid of "
                        + "it now, remove states/\(name)\(Self.databaseSuffix) and states/\(name)\(Self.listSuffix)")
                continue
            }
            if try read(name)?.segments != contents.segments {
                try renewList(of: name, contents)
                renewals.append("states/\(name): its list of segments was damaged in the backup and was written anew")
            }
            let lacking = contents.segments.filter { number, segment in
                let size = [log, LogDirectory(of: backup)].lazy.compactMap {
                    DiskFile.size(of: $0.path(of: number))
                }.first
                return size ?? 0 < segment.end
            }
            damages += lacking.keys.sorted().map {
                "states/\(name) of the backup: \($0.fileName) is missing or cut off"
            }
        }
        if DiskFile.isFolder(log.path) { damages += try log.segments().flatMap(damagedRecords) }
        return (damages, renewals)
    }

    /// Contents of a kept state; nil where its packed database is missing or damaged.
    private func contents(of name: String) throws -> BackupContents? {
        guard DiskFile.size(of: database(name)) != nil else { return nil }
        let draft = "\(backup.temporary)/\(DiskDirectory.uniqueName(prefix: "state"))"
        defer { StoreLocation.removeDatabase(draft) }
        do {
            try PackedFile.unpack(database(name), into: draft)
            guard try DatabaseFile.read(draft, { try $0.integrityProblems() }).isEmpty else { return nil }
            return try BackupContents.read(draft)
        } catch let error as DiskError where error.isOutOfSpace { throw error } catch { return nil }
    }

    private func damagedRecords(in number: SegmentNumber) throws -> [String] {
        var count = 0
        do {
            var scan = try LogScan(number, in: log)
            while let entry = try scan.next() {
                switch entry {
                case .damage: count += 1
                case .record(_, .changed): count += 1
                case .record(_, .dead): break
                case .record(let record, .live): do { try record.verifyBlocks() } catch is LogDamage { count += 1 }
                }
            }
        } catch let damage as LogDamage { return ["states/log of the backup: \(damage)"] }
        return count == 0 ? [] : ["states/log/\(number.fileName) of the backup: damaged records: \(count)"]
    }

    /// Writes the database of a state as it was into a new file.
    func unpack(_ state: BackupState, into path: String) throws {
        guard let name = state.name else { return }
        try PackedFile.unpack(database(name), into: path)
    }

    /// Removes states, and the segments that no other state needs.
    func remove(_ states: some Sequence<BackupState>, keeping kept: some Sequence<BackupState>) throws {
        for name in states.compactMap(\.name) {
            unlink(list(name))
            unlink(database(name))
        }
        guard DiskFile.isFolder(folder) else { return }
        for name in try DiskDirectory.names(in: folder) where name.hasSuffix(Self.partSuffix) {
            unlink("\(folder)/\(name)")
        }
        guard DiskFile.isFolder(log.path) else { return }
        for number in try log.segments() where !kept.contains(where: { $0.needs(number) }) {
            unlink(log.path(of: number))
        }
    }

    /// Takes a segment out of the backup's log that the latest state does not need any more and a kept one does.
    func take(_ number: SegmentNumber, from path: String) throws {
        try DiskDirectory.make(log.path, isPrivate: true)
        try DiskFile.rename(path, to: log.path(of: number))
    }
}
