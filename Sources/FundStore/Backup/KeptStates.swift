internal import Glibc
package import FundCore

/// One state of a store that a backup can give back.
package struct BackupState: Sendable, Hashable {
    /// Its name among those of the backup; nil of the latest, which lies there as it is.
    package var name: String?
    /// When it was copied.
    package var time: Timestamp
    /// Counts the backups of the store; 0 of one that an older version made.
    package var number: Int64
    /// How many commits of mail and files the store had seen, see `LogPosition`; 0 of one by an older version.
    package var commits: Int64
    /// On the backup's disk.
    package var databaseBytes: Int64
    /// What its rows need of the log.
    var segments: [SegmentNumber: BackupContents.Segment]
}

/// Older states of the database in the folder of a backup, in `states/`: each packed, `NAME.sqlite.zst`, beside a list
/// of the segments that it needs, `NAME.segments`, which is written last and says that the state is whole. Segments
/// that the latest state does not need any more stand in `states/log/`.
struct KeptStates {
    private static let databaseSuffix = ".sqlite.zst"
    private static let listSuffix = ".segments"
    private static let partSuffix = ".part"
    private static let firstWord = "fundmail-state"

    let backup: StoreLayout

    private var folder: String { "\(backup.root)/states" }
    /// Of segments that only kept states need.
    var log: LogDirectory { LogDirectory(path: "\(folder)/log", temporary: backup.temporary) }

    private func database(_ name: String) -> String { "\(folder)/\(name)\(Self.databaseSuffix)" }
    private func list(_ name: String) -> String { "\(folder)/\(name)\(Self.listSuffix)" }

    /// The newest first.
    func all() throws -> [BackupState] {
        guard StoreLayout.isFolder(folder) else { return [] }
        let names = try DiskDirectory.names(in: folder).filter { $0.hasSuffix(Self.listSuffix) }
        return try names.compactMap { try read(String($0.dropLast(Self.listSuffix.count))) }
            .sorted { $0.number > $1.number }
    }

    /// Nil when it is not whole.
    private func read(_ name: String) throws -> BackupState? {
        guard let bytes = StoreLayout.size(of: database(name)) else { return nil }
        var text: [UInt8] = []
        try FileBytes.read(list(name)) { text.append(contentsOf: $0) }
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }[...]
        guard let head = lines.popFirst(), head.count == 4, head[0] == Self.firstWord, let time = Int64(head[1]),
            let number = Int64(head[2]), let commits = Int64(head[3])
        else { return nil }
        var segments: [SegmentNumber: BackupContents.Segment] = [:]
        for line in lines {
            guard line.count == 3, let number = UInt32(line[0]), let end = Int64(line[1]), let released = Int64(line[2])
            else { return nil }
            segments[SegmentNumber(number)] = .init(end: end, released: released)
        }
        return BackupState(
            name: name, time: Timestamp(time), number: number, commits: commits, databaseBytes: bytes,
            segments: segments)
    }

    /// Keeps the backup's present database, which has these contents. Does nothing the second time.
    func keepLatest(_ contents: BackupContents) throws {
        try DiskDirectory.make(folder, isPrivate: true)
        let time = try contents.token?.at ?? Self.modified(backup.database)
        let number = contents.token?.number ?? 0
        // It sorts by time, and two of one second differ.
        let name = "\(UTCStamp.basic(time))-\(number)"
        guard StoreLayout.size(of: list(name)) == nil else { return }
        let part = database(name) + Self.partSuffix
        try PackedFile.pack(backup.database, into: part)
        guard rename(part, database(name)) == 0 else { throw SpoolError("rename to", database(name)) }
        var lines = ["\(Self.firstWord) \(time) \(number) \(contents.progress.position)"]
        for (number, segment) in contents.segments.sorted(by: { $0.key < $1.key }) {
            lines.append("\(number.value) \(segment.end) \(segment.released)")
        }
        let descriptor = try StoreLayout.open(list(name) + Self.partSuffix, owner: nil)
        defer { close(descriptor) }
        try Array((lines.joined(separator: "\n") + "\n").utf8).withUnsafeBytes {
            guard ftruncate(descriptor, 0) == 0 else { throw SpoolError("write", list(name)) }
            try SpoolWriter.writeAll($0, to: descriptor, path: list(name))
        }
        guard fsync(descriptor) == 0 else { throw SpoolError("sync", list(name)) }
        guard rename(list(name) + Self.partSuffix, list(name)) == 0 else { throw SpoolError("rename to", list(name)) }
        try DiskSync.sync(folder, flags: O_RDONLY | O_DIRECTORY)
    }

    static func modified(_ path: String) throws -> Timestamp {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SpoolError("look at", path) }
        return Timestamp(Int64(status.st_mtim.tv_sec))
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
        guard StoreLayout.isFolder(folder) else { return }
        for name in try DiskDirectory.names(in: folder) where name.hasSuffix(Self.partSuffix) {
            unlink("\(folder)/\(name)")
        }
        guard StoreLayout.isFolder(log.path) else { return }
        let needed = Set(kept.flatMap(\.segments.keys))
        for number in try log.segments() where !needed.contains(number) { unlink(log.path(of: number)) }
    }

    /// Takes a segment out of the backup's log that the latest state does not need any more and a kept one does.
    func take(_ number: SegmentNumber, from path: String) throws {
        try DiskDirectory.make(log.path, isPrivate: true)
        guard rename(path, log.path(of: number)) == 0 else { throw SpoolError("rename to", log.path(of: number)) }
    }
}

/// Writes times of UTC for names of files.
enum UTCStamp {
    /// `20261127T150000Z`, as ISO 8601 calls basic.
    static func basic(_ time: Timestamp) -> String {
        let seconds = max(0, Int(time.rawValue))
        let date = CivilDate(daysSince1970: seconds / CivilDate.secondsPerDay)
        let clock = ClockTime(secondOfDay: seconds % CivilDate.secondsPerDay)?.text ?? ""
        return "\(date.text)T\(clock)Z".filter { $0 != "-" && $0 != ":" }
    }
}
