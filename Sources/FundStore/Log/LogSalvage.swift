internal import Glibc
import FundCore

/// Writes every message and file of a log into a directory, without any row: for when the database is lost.
struct LogSalvage {
    struct Report: Hashable, Sendable {
        var messages = 0
        var files = 0
        /// Records that nothing referred to when the log was last written to.
        var dead = 0
        var damages: [LogDamage] = []
    }

    private let log: LogDirectory
    private let target: String
    private let reader: LogReader
    private var locations: [ContentDigest: RecordLocation] = [:]
    /// Of `locations`, those that repeat no other content.
    private var plain: Set<ContentDigest> = []
    private(set) var report = Report()

    init(_ log: LogDirectory, to target: String) {
        self.log = log
        self.target = target
        reader = LogReader(directory: log)
    }

    /// Messages go to `mail/`, named by time and digest, files to `files/`, by digest and name. What stands there
    /// already is left: a salvage that was broken off goes on. Throws `SpoolError` when the directory cannot be
    /// written; damage and bad sectors are reported, and what is whole comes.
    mutating func run() throws {
        for directory in ["", "/mail", "/files"] {
            try DiskDirectory.makeAll(upTo: target + directory, isPrivate: true)
        }
        var found: [(RecordLocation, RecordHeader.Label)] = []
        for number in try log.segments() { try look(through: number, &found) }
        // Of equal contents the first that is whole.
        var written: Set<[UInt8]> = []
        for (location, label) in found {
            let key = [label.kind.rawValue] + label.digest.bytes
            guard !written.contains(key), try write(location, label) else { continue }
            written.insert(key)
            if label.kind == .message { report.messages += 1 } else { report.files += 1 }
        }
    }

    private mutating func look(
        through number: SegmentNumber, _ found: inout [(RecordLocation, RecordHeader.Label)]
    ) throws {
        do {
            var scan = try LogScan(number, in: log)
            if scan.hasDamagedOpening { report.damages.append(LogDamage(.opening, number, 0)) }
            while let entry = try scan.next() {
                switch entry {
                case .damage(let damage): report.damages.append(damage)
                case .record(let record, _) where record.header.label.kind == .commit: break
                case .record(_, .dead): report.dead += 1
                case .record(let record, .live):
                    found.append((record.location, record.header.label))
                    try offer(record)
                }
            }
        } catch let damage as LogDamage { report.damages.append(damage) }
    }

    /// Of several copies the first counts whose blocks are all whole, and before it one that repeats no other content.
    private mutating func offer(_ record: LogRecord) throws {
        let label = record.header.label
        guard locations[label.digest] == nil || !label.encoding.isComposed && !plain.contains(label.digest) else {
            return
        }
        do {
            try record.verifyBlocks()
            locations[label.digest] = record.location
            if !label.encoding.isComposed { plain.insert(label.digest) }
        } catch is LogDamage {}  // it is reported when it is written
    }

    /// False when it is damaged.
    private mutating func write(_ location: RecordLocation, _ label: RecordHeader.Label) throws -> Bool {
        let path = "\(target)/\(Self.name(of: label))"
        guard StoreLayout.size(of: path) != label.contentBytes else { return true }
        let temporary = path + ".part"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", temporary) }
        defer { close(descriptor) }
        do {
            try reader.record(at: location, of: label.digest).verify(record(of:)) { bytes in
                try SpoolWriter.writeAll(bytes, to: descriptor, path: temporary)
            }
            guard fdatasync(descriptor) == 0 else { throw SpoolError("sync", temporary) }
            guard rename(temporary, path) == 0 else { throw SpoolError("rename to", path) }
            return true
        } catch {
            unlink(temporary)
            guard let damage = error as? LogDamage else { throw error }
            report.damages.append(damage)
            return false
        }
    }

    private func record(of digest: ContentDigest) throws -> LogRecord? {
        try locations[digest].map { try reader.record(at: $0, of: digest) }
    }

    /// Names from mail never become paths: each byte but letters and digits of ASCII and dots becomes a hyphen.
    private static func name(of label: RecordHeader.Label) -> String {
        let digest = label.digest.hex
        guard label.kind == .blob else { return "mail/\(label.time)-\(digest).eml" }
        let name = label.origin.utf8.suffix(80).map {
            ASCII.isAlphanumeric($0) || $0 == .dot ? $0 : .hyphen
        }
        return "files/\(digest)-\(String(decoding: name, as: UTF8.self))"
    }
}
