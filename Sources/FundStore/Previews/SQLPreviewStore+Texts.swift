import FundCore

/// The text of a file, page by page.
struct FileText: Sendable, Hashable {
    struct Page: Sendable, Hashable {
        /// Number of the page, from 1; nil where the file has none.
        var number: Int?
        var text: String
    }

    var pages: [Page]
}

extension SQLPreviewStore {
    /// The text of a content; nil where nothing was read in it, or that is gone. Blocks.
    func text(of content: ContentDigest) throws -> FileText? {
        guard hasDatabase, try !isQuarantined(content) else { return nil }
        let renditions = try database().pool.read { db in
            try db.rows(
                """
                SELECT kind, page, bytes_digest, size FROM rendition
                WHERE digest = ? AND kind IN (?, ?) AND failure IS NULL ORDER BY kind, page
                """, [content, RenditionKind.text.rawValue, RenditionKind.recognised.rawValue]
            ) { row in
                RenditionKind(rawValue: row[0]).map { kind in
                    (
                        key: RenditionKey(content, kind, page: row[1]), size: row[3] as Int,
                        digest: row[2] as ContentDigest
                    )
                }
            }.compactMap(\.self)
        }
        guard !renditions.isEmpty else { return nil }
        var pages: [Int: String] = [:]
        var isPaged = false
        for rendition in renditions {
            let stored = Rendition(rendition.key, digest: rendition.digest, size: rendition.size)
            guard let bytes = files.read(stored) else { continue }
            if rendition.key.kind == .recognised {
                isPaged = isPaged || rendition.key.page > 1
                pages[rendition.key.page, default: ""] += String(decoding: bytes, as: UTF8.self)
            } else {
                let parts = PagedText.pages(of: bytes)
                isPaged = parts.count > 1
                for (index, part) in parts.enumerated() {
                    pages[index + 1, default: ""] += String(decoding: part, as: UTF8.self)
                }
            }
        }
        return FileText(
            pages: pages.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
                FileText.Page(number: isPaged ? $0.key : nil, text: $0.value)
            })
    }

    /// Texts that the search does not find yet; what is recognised in a content when its last page is. Blocks.
    func unindexedTexts(limit: Int) throws -> [RenditionKey] {
        guard hasDatabase else { return [] }
        return try database().pool.read { db in
            try db.rows(
                """
                SELECT digest, kind, page FROM rendition
                WHERE failure IS NULL AND is_indexed = 0 AND kind IN ('text', 'ocr') AND (kind = 'text' OR NOT EXISTS (
                    SELECT 1 FROM job WHERE job.digest = rendition.digest AND job.kind = 'ocr'))
                ORDER BY digest LIMIT \(limit)
                """
            ) { try RenditionKey($0, at: 0) }.compactMap(\.self)
        }
    }

    /// The search finds them now. Blocks.
    func noteIndexed(_ texts: [RenditionKey]) throws {
        try database().write { db in
            for key in texts {
                try db.execute(
                    "UPDATE rendition SET is_indexed = 1 WHERE digest = ? AND kind = ? AND page = ?", key.arguments)
            }
        }
    }
}
