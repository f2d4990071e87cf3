internal import Foundation
internal import Glibc
import FundCore

/// A blob that is missing or damaged, found by its row.
struct BrokenBlob: Sendable {
    var id: BlobRows.ID
    var digest: ContentDigest
    var kind: VerifyFinding.Kind
    var detail: String

    /// What `verify` says of it.
    func finding(_ action: VerifyFinding.Action, _ detail: String? = nil) -> VerifyFinding {
        VerifyFinding(
            kind: kind, path: "blobs/\(StoreLayout.fanOut(digest))", digest: digest, action: action,
            detail: detail ?? self.detail)
    }
}

/// One pass over rows and files, folder by folder: memory holds one of the 256 folders at a time.
struct StoreCheck {
    private enum Side: String {
        case raw, blobs

        var suffix: String { self == .raw ? ".eml" : "" }
        var missing: VerifyFinding.Kind { self == .raw ? .missingRaw : .missingBlob }
        var damaged: VerifyFinding.Kind { self == .raw ? .damagedRaw : .damagedBlob }
        var orphan: VerifyFinding.Kind { self == .raw ? .orphanRaw : .orphanBlob }
    }

    private struct Expected {
        var id: Int64
        var size: Int64
        var isDropped: Bool
    }

    let connection: StoreConnection
    let files: StoreFiles
    let isRepairing: Bool
    let onProgress: @Sendable (VerifyProgress) -> Void
    private(set) var report = VerifyReport()
    private(set) var broken: [BrokenBlob] = []
    private(set) var progress = VerifyProgress(filesDone: 0, filesTotal: 0, bytes: 0)

    /// The findings, without those of broken blobs when they are to be repaired.
    mutating func run() throws -> (VerifyReport, [BrokenBlob]) {
        try checkDatabase()
        for side in [Side.raw, .blobs] {
            for number in 0..<256 { try check(side, folder: UInt8(number)) }
        }
        if !isRepairing { for blob in broken { report.findings.append(blob.finding(.reported)) } }
        return (report, isRepairing ? broken : [])
    }

    private mutating func checkDatabase() throws {
        let (problems, total) = try connection.read("check the database") { db in
            (
                try db.problems(),
                try db.value("SELECT (SELECT count(*) FROM message) + (SELECT count(*) FROM blob)") ?? 0
            )
        }
        progress.filesTotal = total
        for text in problems.integrity { add(.database, "fundmail.sqlite", .unrepairable, text) }
        for text in problems.references {
            add(.database, "fundmail.sqlite", .unrepairable, "a row refers to one that is not there: \(text)")
        }
        let contradictions = try connection.read("check the library") { try LibraryCheck.contradictions($0) }
        for text in contradictions { add(.library, "fundmail.sqlite", .unrepairable, text) }
    }

    private mutating func check(_ side: Side, folder number: UInt8) throws {
        let hex = Hex.text([number])
        let folder = "\(side.rawValue)/\(hex)"
        var expected = try rows(side, first: number)
        for name in try DiskDirectory.names(in: "\(files.layout.root)/\(folder)") {
            let path = "\(folder)/\(name)"
            let stem = name.hasSuffix(side.suffix) ? String(name.dropLast(side.suffix.utf8.count)) : ""
            guard let digest = ContentDigest(hex: hex + stem), digest.hex == hex + stem else {
                try setAside(path, .strangeFile, nil, "its name is no digest")
                continue
            }
            guard let row = expected.removeValue(forKey: digest) else {
                try handleOrphan(side, path, digest)
                continue
            }
            try compare(side, path, digest, row)
        }
        for (digest, row) in expected.sorted(by: { $0.value.id < $1.value.id }) where !row.isDropped {
            if try isNeeded(side, row.id) { note(side, digest, row, side.missing, "there is no file") }
        }
    }

    /// Retention or a purge may have let go of it since its row was read.
    private func isNeeded(_ side: Side, _ id: Int64) throws -> Bool {
        let table = side == .raw ? "message WHERE raw_dropped_at IS NULL AND" : "blob WHERE"
        return try connection.read("look at a row again") { db in
            try db.value("SELECT EXISTS (SELECT 1 FROM \(table) id = ?)", [id]) ?? false
        }
    }

    private func rows(_ side: Side, first: UInt8) throws -> [ContentDigest: Expected] {
        let source = side == .raw ? "raw_dropped_at IS NOT NULL FROM message" : "0 FROM blob"
        // Digests that begin with this byte: a range of the unique index.
        let range = [Data([first]), Data([first] + [UInt8](repeating: .max, count: ContentDigest.byteCount))]
        return try connection.read("read the rows") { db in
            try db.rows("SELECT digest, id, size, \(source) WHERE digest BETWEEN ? AND ?", range).reduce(into: [:]) {
                $0[try $1.digest(0)] = Expected(id: $1[1], size: $1[2], isDropped: $1[3])
            }
        }
    }

    private mutating func compare(_ side: Side, _ path: String, _ digest: ContentDigest, _ row: Expected) throws {
        progress.filesDone += 1
        do {
            let found = try FileHash.read("\(files.layout.root)/\(path)")
            report.bytes += found.size
            progress.bytes = report.bytes
            if side == .raw { report.rawFiles += 1 } else { report.blobs += 1 }
            if found.digest != digest || found.size != row.size {
                note(
                    side, digest, row, side.damaged, "its content has another hash (\(found.size) of \(row.size) bytes)"
                )
            }
        } catch let error as SpoolError where [EACCES, EPERM].contains(error.code) {
            add(.unreadable, path, isRepairing ? .unrepairable : .reported, "\(error)", digest)
        } catch let error as SpoolError {
            note(side, digest, row, side.damaged, "\(error)")
        }
        onProgress(progress)
    }

    /// A raw message can be mended by nothing here; sending it again mends it, since its digest is known.
    private mutating func note(
        _ side: Side, _ digest: ContentDigest, _ row: Expected, _ kind: VerifyFinding.Kind, _ detail: String
    ) {
        guard side == .raw else {
            return broken.append(BrokenBlob(id: BlobRows.ID(row.id), digest: digest, kind: kind, detail: detail))
        }
        add(kind, "raw/\(StoreLayout.fanOut(digest)).eml", isRepairing ? .unrepairable : .reported, detail, digest)
    }

    private mutating func handleOrphan(_ side: Side, _ path: String, _ digest: ContentDigest) throws {
        guard isRepairing else { return add(side.orphan, path, .reported, "no row knows it", digest) }
        guard side == .blobs else { return try setAside(path, .orphanRaw, digest, "no row knows it") }
        // Since the rows were read a message may have been filed by hand, or an upload is under way.
        let file = "\(files.layout.root)/\(path)"
        guard try files.removeOrphans([digest], where: { _ in !UploadFile.isInUse(file) }) == 1 else { return }
        add(.orphanBlob, path, .removed, "no row knows it", digest)
    }

    private mutating func setAside(
        _ path: String, _ kind: VerifyFinding.Kind, _ digest: ContentDigest?, _ detail: String
    ) throws {
        guard isRepairing else { return add(kind, path, .reported, detail, digest) }
        let target = try files.moveToLost(path)
        add(kind, path, .movedToLost, "\(detail); now \(target)", digest)
    }

    private mutating func add(
        _ kind: VerifyFinding.Kind, _ path: String, _ action: VerifyFinding.Action, _ detail: String,
        _ digest: ContentDigest? = nil
    ) {
        report.findings.append(VerifyFinding(kind: kind, path: path, digest: digest, action: action, detail: detail))
    }
}
