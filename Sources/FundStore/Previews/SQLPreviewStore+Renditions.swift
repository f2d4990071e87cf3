package import FundCore
internal import Synchronization

extension SQLPreviewStore {
    /// Limit of renditions whose use is not written yet: more than a minute has.
    private static let maxUsed = 100_000
    static let infoColumns =
        "info.type, info.pages, info.width, info.height, info.milliseconds, info.is_encrypted"

    package func summaries(of contents: [ContentDigest]) async throws -> [ContentDigest: PreviewSummary] {
        try await reading("list previews") { [self] db in
            var found: [ContentDigest: PreviewSummary] = [:]
            for content in contents where found[content] == nil {
                if try isQuarantined(content) {
                    found[content] = PreviewSummary(.failed(.quarantined), of: content)
                    continue
                }
                let row = try db.row(
                    """
                    SELECT \(Self.infoColumns), rendition.digest IS NULL, rendition.failure, rendition.width,
                        rendition.height
                    FROM info LEFT JOIN rendition ON rendition.digest = info.digest AND kind = ? AND page = 1
                    WHERE info.digest = ?
                    """, [RenditionKind.thumbnail.rawValue, content])
                if let row { found[content] = Self.summary(row, of: content) }
            }
            return found
        }
    }

    private static func summary(_ row: Row, of content: ContentDigest) -> PreviewSummary {
        let info = info(row)
        let (isAbsent, failure): (Bool, String?) = (row[6], row[7])
        if isAbsent { return PreviewSummary(.making, of: content, info: info) }
        if let failure { return PreviewSummary(.failed(Self.failure(failure)), of: content, info: info) }
        return PreviewSummary(.ready, of: content, info: info, width: row[8], height: row[9])
    }

    static func info(_ row: Row) -> FileInfo {
        var info = FileInfo(TrueType(rawValue: row[0]) ?? .unknown)
        (info.pageCount, info.width, info.height) = (row[1], row[2], row[3])
        (info.milliseconds, info.isEncrypted) = (row[4], row[5])
        return info
    }

    static func failure(_ word: String) -> RenditionFailure { RenditionFailure(rawValue: word) ?? .unsupported }

    package func info(of content: ContentDigest) async throws -> FileInfo? {
        try await reading("look at a file") { db in
            try db.row("SELECT \(Self.infoColumns) FROM info WHERE digest = ?", [content]).map(Self.info)
        }
    }

    package func verdict(of content: ContentDigest) async throws -> Verdict? {
        try await reading("look for a verdict") { db in
            try db.row("SELECT verdict, malware FROM verdict WHERE digest = ?", [content]).flatMap {
                Verdict(word: $0[0], malware: $0[1])
            }
        }
    }

    package func state(of key: RenditionKey) async throws -> RenditionState? {
        try await reading("find a preview") { [self] db in
            if try isQuarantined(key.content) { return .failed(.quarantined) }
            let row = try db.row(
                """
                SELECT failure, bytes_digest, size, width, height FROM rendition
                WHERE digest = ? AND kind = ? AND page = ?
                """, key.arguments)
            guard let row else { return nil }
            if let failure: String = row[0] { return .failed(Self.failure(failure)) }
            return .ready(
                Rendition(key, digest: try row.digest(1), size: row[2], width: row[3], height: row[4]))
        }
    }

    package func bytes(of rendition: Rendition) async throws -> [UInt8]? {
        let (files, key) = (files, rendition.key)
        if let bytes = try await blocking({ files.read(rendition) }) {
            used.withLock { used in
                if used.count >= Self.maxUsed { used = [:] }
                used[key] = .now
            }
            return bytes
        }
        try await writing("forget a preview") { db in
            try db.execute(
                "DELETE FROM rendition WHERE digest = ? AND kind = ? AND page = ? AND bytes_digest = ?",
                key.arguments + [rendition.digest])
        }
        return nil
    }
}

extension Verdict {
    var malware: String? { if case .infected(let name) = self { name } else { nil } }

    /// A verdict as it is stored; nil for another.
    init?(word: String, malware: String?) {
        switch word {
        case "clean": self = .clean
        case "infected": self = .infected(name: malware ?? "malware")
        case "limit": self = .limit
        case "encrypted": self = .encrypted
        default: return nil
        }
    }
}
