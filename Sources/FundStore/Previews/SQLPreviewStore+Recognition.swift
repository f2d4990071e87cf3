package import FundCore

/// Pages that are to be recognised, after another choice of languages or pages.
extension SQLPreviewStore {
    /// The row of `counter` with the plan.
    private static let plan = "recognition"
    /// Prefix of the rows of `noteKeptWords`.
    private static let keptWords = "kept words: "

    package func limitRecognition(toPages count: Int?) async throws {
        let kind = RenditionKind.recognised.rawValue
        try await writing("limit what is recognised") { db in
            if let count {
                try db.execute("DELETE FROM job WHERE kind = ? AND page > ?", [kind, count])
            } else {
                try db.execute("DELETE FROM job WHERE kind = ?", [kind])
                try Self.forgetRecognitionPlan(db)
            }
        }
    }

    static func forgetRecognitionPlan(_ db: Database) throws {
        try db.execute("DELETE FROM counter WHERE name = ?", [plan])
    }

    /// Words were kept because another recipe failed for this reason: the pages are ordered again when such failures
    /// are forgotten.
    static func noteKeptWords(_ failure: RenditionFailure, _ db: Database) throws {
        try Counter.set(keptWords + failure.rawValue, 1, db)
    }

    /// Forgets words that were kept for these reasons, a list of SQL. Returns for how many they were.
    static func forgetKeptWords(_ reasons: SQLList, _ db: Database) throws -> Int {
        try db.execute(
            "DELETE FROM counter WHERE name IN (SELECT ? || id FROM (\(SQL.each("?"))) AS reason)",
            [keptWords, reasons])
    }

    package func recognitionPlan() async throws -> Int64? {
        try await reading("look what is to be recognised") { db in
            try Counter.value(Self.plan, db)
        }
    }

    package func setRecognitionPlan(_ plan: Int64) async throws {
        try await writing("note what is to be recognised") { db in
            try Counter.set(Self.plan, plan, db)
        }
    }

    package func recognisable(
        after content: ContentDigest?, limit: Int
    ) async throws -> (files: [(file: PreviewedFile, info: FileInfo)], last: ContentDigest?) {
        let types = TrueType.allCases.filter { [.pdf, .picture].contains($0.family) }.map(\.rawValue)
        let found = try await reading("find pages with pictures") { db in
            try db.rows(
                """
                SELECT \(Self.infoColumns), digest FROM info
                WHERE digest > ? AND type \(SQL.isAmong("?")) ORDER BY digest LIMIT \(limit)
                """, [content ?? Self.least, SQL.list(words: types)]
            ) { row in (content: try row.digest(6), info: Self.info(row)) }
        }
        let sizes = try await connection.reading("look for contents") { db in
            try found.map { try db.value("SELECT size FROM blob WHERE digest = ?", [$0.content]) as Int64? }
        }
        let files = zip(found, sizes).compactMap { found, size in
            size.map { (file: PreviewedFile(digest: found.content, size: $0), info: found.info) }
        }
        return (files, found.last?.content)
    }
}
