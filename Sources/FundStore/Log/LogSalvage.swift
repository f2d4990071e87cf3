internal import Glibc
import FundCore

/// Writes every message and file of a log into a folder, without any row: for when the database is lost.
struct LogSalvage {
    struct Report: Hashable, Sendable {
        var messages = 0
        var files = 0
        /// Records that nothing referred to when the log was last written to.
        var dead = 0
        var damages: [LogDamage] = []
    }

    private let log: LogFolder
    private let target: String
    private let reader: LogReader
    private var places: [ContentDigest: RecordPlace] = [:]
    /// Of `places`, those that repeat no other content.
    private var plain: Set<ContentDigest> = []
    private(set) var report = Report()

    init(_ log: LogFolder, to target: String) {
        self.log = log
        self.target = target
        reader = LogReader(folder: log)
    }

    /// Messages go to `mail/`, named by time and digest, files to `files/`, by digest and name. What stands there
    /// already is left: a salvage that was broken off goes on. Throws `SpoolError` when the folder cannot be written;
    /// damage and bad sectors are reported, and what is whole comes.
    mutating func run() throws {
        for folder in ["", "/mail", "/files"] {
            try DiskDirectory.makeAll(upTo: target + folder, isPrivate: true)
        }
        var found: [(RecordPlace, RecordHeader.Subject)] = []
        for number in try log.segments() { try look(through: number, &found) }
        // Of equal contents the first that is whole.
        var written: Set<[UInt8]> = []
        for (place, subject) in found {
            let key = [subject.kind.rawValue] + subject.digest.bytes
            guard !written.contains(key), try write(place, subject) else { continue }
            written.insert(key)
            if subject.kind == .message { report.messages += 1 } else { report.files += 1 }
        }
    }

    private mutating func look(
        through number: SegmentNumber, _ found: inout [(RecordPlace, RecordHeader.Subject)]
    ) throws {
        do {
            var scan = try LogScan(number, in: log)
            if scan.hasDamagedOpening { report.damages.append(LogDamage(.opening, number, 0)) }
            while let entry = try scan.next() {
                switch entry {
                case .damage(let damage): report.damages.append(damage)
                case .record(_, .dead): report.dead += 1
                case .record(let record, .live):
                    found.append((record.place, record.header.subject))
                    try offer(record)
                }
            }
        } catch let damage as LogDamage { report.damages.append(damage) }
    }

    /// Of several copies the first counts whose blocks are all whole, and before it one that repeats no other content.
    private mutating func offer(_ record: LogRecord) throws {
        let subject = record.header.subject
        guard places[subject.digest] == nil || subject.encoding == .plain && !plain.contains(subject.digest) else {
            return
        }
        do {
            try record.verifyBlocks()
            places[subject.digest] = record.place
            if subject.encoding == .plain { plain.insert(subject.digest) }
        } catch is LogDamage {}  // it is reported when it is written
    }

    /// False when it is damaged.
    private mutating func write(_ place: RecordPlace, _ subject: RecordHeader.Subject) throws -> Bool {
        let path = "\(target)/\(Self.name(of: subject))"
        guard StoreLayout.size(of: path) == nil else { return true }
        let temporary = path + ".part"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", temporary) }
        defer { close(descriptor) }
        do {
            try reader.record(at: place, of: subject.digest).verify(record(of:)) { bytes in
                try SpoolWriter.writeAll(bytes, to: descriptor, path: temporary)
            }
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
        try places[digest].map { try reader.record(at: $0, of: digest) }
    }

    /// Names from mail never become paths: each byte but letters and digits of ASCII and dots becomes a hyphen.
    private static func name(of subject: RecordHeader.Subject) -> String {
        let digest = subject.digest.hex
        guard subject.kind == .blob else { return "mail/\(subject.time)-\(digest).eml" }
        let name = subject.origin.utf8.suffix(80).map {
            ASCII.isAlphanumeric($0) || $0 == .dot ? $0 : .hyphen
        }
        return "files/\(digest)-\(String(decoding: name, as: UTF8.self))"
    }
}
