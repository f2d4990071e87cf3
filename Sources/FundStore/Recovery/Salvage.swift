internal import Glibc
import FundCore

/// Result of a salvage.
package struct SalvageReport: Sendable, Hashable {
    package var messages = 0
    package var files = 0
    /// Count of records that nothing needed any more when the log was last written to.
    package var dead = 0
    /// Count of messages and files of which another copy of the log says that they were removed.
    package var removedElsewhere = 0
    /// Count of messages from a segment so damaged that nothing tells its records from what came by mail.
    package var unproven = 0
    /// Count of messages and files that came out although their records' state has changed, or says that they were
    /// given up and a row of the database beside the log needs them.
    package var damagedStates = 0
    /// Parts that could not be read and records whose state has changed, one sentence each.
    package var damages: [String] = []
}

/// Writes every message and file of a log into a directory, without any database: for when it is lost.
package struct Salvage {
    private let log: LeftLog
    private let target: String
    private var report = SalvageReport()

    /// Writes messages to `mail/` as `.eml`, named by time and digest, files to `files/`, named by digest and name, and
    /// messages that may be forged by what came by mail to `unproven/`. What stands there whole is left: a salvage that
    /// was broken off goes on. Throws `StoreError` when there is no segment at all or the directory cannot be written;
    /// what cannot be read is reported, and what is whole comes.
    ///
    /// - Parameter places: stores, folders of segments and segments, of one log or of several copies of it.
    package static func run(_ places: [String], to directory: String) throws -> SalvageReport {
        let operation = "salvage \(places.joined(separator: ", "))"
        return try StoreError.wrapping(operation) {
            let found = LeftFiles(in: places)
            guard !found.files.isEmpty else {
                let reasons = found.damages.map { "; \($0)" }.joined()
                throw StoreError(
                    .notFound, operation,
                    "there are no segments (000001.seg) in \(places.joined(separator: ", "))\(reasons)")
            }
            var salvage = Salvage(log: LeftLog(found, hasRowsBeside: true), target: directory)
            try salvage.run()
            let missing = LeftFiles.emptiness(of: places).map(\.description)
            salvage.report.damages += missing.filter { !salvage.report.damages.contains($0) }
            return salvage.report
        }
    }

    private init(log: LeftLog, target: String) {
        self.log = log
        self.target = target
        report.dead = log.deadCount
        report.damages = log.damages.map(\.description)
    }

    private mutating func run() throws {
        let hasUnproven = log.segments.contains { !$0.isProven }
        for directory in ["", "/mail", "/files"] + (hasUnproven ? ["/unproven"] : []) {
            try DiskDirectory.makeAll(upTo: target + directory, isPrivate: true)
        }
        // Kinds and digests of contents that came out: the first that is whole of equal ones.
        var written: Set<[UInt8]> = []
        for (index, record) in log.records.enumerated() {
            let key = [record.kind.rawValue] + record.digest.bytes
            guard !written.contains(key) else { continue }
            do { try write(index) } catch let damage as LeftDamage {
                // Its bytes were given back, as the other copy says.
                if !log.isDisputed(index) { report.damages.append(damage.description) }
                continue
            }
            written.insert(key)
            if record.kind == .message { report.messages += 1 } else { report.files += 1 }
            if record.kind == .message, !log.isProven(index) { report.unproven += 1 }
            if let damage = log.stateDamage(of: index) {
                report.damagedStates += 1
                report.damages.append(damage.description)
            }
            if log.isRemovedElsewhere(record.digest, record.kind) { report.removedElsewhere += 1 }
        }
    }

    /// Writes one content. Throws `LeftDamage` when it is damaged: nothing of this name is there then.
    private func write(_ index: Int) throws {
        let label = try label(of: index)
        let path = "\(target)/\(Self.name(of: label, isProven: log.isProven(index)))"
        guard try !Self.isThere(path, label) else { return }
        // A file with other bytes is of no use under the name of these.
        unlink(path)
        let temporary = path + ".part"
        unlink(temporary)
        try DiskFile.write(temporary) { append in try log.read(index, append) }
        do { try DiskFile.rename(temporary, to: path) } catch {
            unlink(temporary)
            throw error
        }
    }

    private func label(of index: Int) throws -> RecordHeader.Label {
        do { return try log.open(index).header.label } catch { throw LeftDamage(log.path(of: index), error) }
    }

    /// Whether the file has these very bytes.
    private static func isThere(_ path: String, _ label: RecordHeader.Label) throws -> Bool {
        try FileHash.has(path, label.digest, size: label.contentBytes)
    }

    /// Names from mail never become paths: each byte but letters and digits of ASCII and dots becomes a hyphen.
    private static func name(of label: RecordHeader.Label, isProven: Bool) -> String {
        let digest = label.digest.hex
        guard label.kind == .blob else { return "\(isProven ? "mail" : "unproven")/\(label.time)-\(digest).eml" }
        let name = label.origin.utf8.suffix(80).map {
            ASCII.isAlphanumeric($0) || $0 == .dot ? $0 : .hyphen
        }
        return "files/\(digest)-\(String(decoding: name, as: UTF8.self))"
    }
}
