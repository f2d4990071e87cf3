internal import Crypto
internal import Glibc
import FundCore

/// Result of `export`.
package struct ExportReport: Sendable, Hashable {
    package var written = 0
    /// Count of files that were there already, with the same content.
    package var unchanged = 0
    /// Bytes that were written.
    package var bytes: Int64 = 0
    /// Files whose content is missing or damaged in the store: not written.
    package var failed: [String] = []
    /// Files that are kept from people, each with the name of the malware that was found in it.
    package var quarantined: [String] = []
    /// Files that are held because no scanner has looked at them yet.
    package var unscanned: [String] = []
}

/// Writes one fund as plain files.
struct FundExport {
    private struct Item {
        var name: String
        var folder: FolderEntry.ID?
        var digest: ContentDigest
        var size: Int64
    }

    private typealias Folders = [FolderEntry.ID: (name: String, parent: FolderEntry.ID?)]

    let log: StoreLog
    let fund: Fund.ID
    let quarantine: Quarantine

    func run(to directory: String) throws -> ExportReport {
        let (items, folders) = try contents()
        try refuseInsideStore(directory)
        try DiskDirectory.makeAll(upTo: directory, isPrivate: false)
        try refuseInsideStore(directory)  // again, now that links in it can be followed
        var report = ExportReport()
        for item in items {
            let folder = try place(item.folder, folders, below: directory)
            try write(item, into: folder, &report)
        }
        return report
    }

    private func contents() throws -> ([Item], Folders) {
        try log.connection.read("read the fund") { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM fund WHERE id = ? AND deleted_at IS NULL)"
            guard try db.value(sql, [fund]) ?? false else {
                throw StoreError(.notFound, "export a fund", "there is no fund \(fund)")
            }
            let items = try db.rows(
                """
                SELECT file.name, file.folder_id, blob.digest, blob.size FROM file JOIN blob ON blob.id = file.blob_id
                WHERE file.fund_id = ? AND file.deleted_at IS NULL ORDER BY file.id
                """, [fund]
            ) { Item(name: $0[0], folder: $0[1], digest: try $0.digest(2), size: $0[3]) }
            let folders = try db.rows("SELECT id, name, parent_id FROM folder WHERE fund_id = ?", [fund])
            return (items, folders.reduce(into: [:]) { $0[$1[0]] = (name: $1[1], parent: $1[2]) })
        }
    }

    // MARK: Folders

    private func refuseInsideStore(_ directory: String) throws {
        guard !log.connection.location.contains(directory) else {
            throw StoreError(.invalid, "export a fund", "\(directory) lies inside the store")
        }
    }

    private func place(_ id: FolderEntry.ID?, _ folders: Folders, below directory: String) throws -> String {
        var (names, next): ([String], FolderEntry.ID?) = ([], id)
        while let id = next, let folder = folders[id], names.count < folders.count {
            names.append(Self.safe(folder.name))
            next = folder.parent
        }
        let path = ([directory] + names.reversed()).joined(separator: "/")
        if !names.isEmpty { try DiskDirectory.makeAll(upTo: path, isPrivate: false) }
        return path
    }

    /// Names are made safe when they are given; this is the last line before they become paths.
    private static func safe(_ name: String) -> String {
        let cleaned = String(name.unicodeScalars.map { $0 == "/" || $0.value < 32 ? "_" : Character($0) })
        return cleaned.isEmpty || cleaned == "." || cleaned == ".." ? "_" : cleaned
    }

    // MARK: Files

    private func write(_ item: Item, into folder: String, _ report: inout ExportReport) throws {
        switch try quarantine.refusal(of: item.digest) {
        case .malware(let name)?: return report.quarantined.append("\(item.name) (\(name))")
        case .unscanned?: return report.unscanned.append(item.name)
        case nil: break
        }
        let source: LogContent
        do { source = try log.content(of: item.digest, size: item.size) } catch let error as StoreError {
            guard error.code == .corrupted else { throw error }
            return report.failed.append(item.name)
        }
        let parts = FileNameParts(Self.safe(item.name))
        var number = 0
        while true {
            let target = "\(folder)/" + parts.stem + (number == 0 ? "" : "(\(number))") + parts.suffix
            let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
            if descriptor >= 0 { return try copy(source, item, to: target, descriptor, &report) }
            guard errno == EEXIST else { throw DiskError("create", target) }
            if try FileHash.has(target, item.digest, size: item.size) { return report.unchanged += 1 }
            number += 1
        }
    }

    private func copy(
        _ source: LogContent, _ item: Item, to target: String, _ descriptor: Int32, _ report: inout ExportReport
    ) throws {
        var isWhole = false
        defer {
            close(descriptor)
            if !isWhole { unlink(target) }
        }
        var hash = SHA256()
        do {
            try source.read(0..<item.size) { bytes in
                hash.update(bufferPointer: bytes)
                try SpoolWriter.writeAll(bytes, to: descriptor, path: target)
            }
        } catch let error as StoreError where error.code == .corrupted { return report.failed.append(item.name) }
        guard ContentDigest(hash.finalize()) == item.digest else { return report.failed.append(item.name) }
        isWhole = true
        report.written += 1
        report.bytes += item.size
    }
}
