import FundCore

/// The files of one watched folder as they are remembered, within one transaction.
struct WatchFileRows {
    let db: Database
    let watch: DriveWatch.ID

    // MARK: Reading

    private static let columns = """
        name, store_id, seen, seen_at, state, filed, digest, file_id, target, gone_at, attempts, problem
        """

    /// - Parameter condition: SQL whose first placeholders are `?2` and the following.
    func files(where condition: String = "TRUE", _ arguments: SQLArguments = []) throws -> [WatchedFile] {
        try db.rows(
            "SELECT \(Self.columns) FROM drive_watch_file WHERE watch_id = ?1 AND \(condition)", [watch] + arguments
        ) { row in
            guard let state = WatchedFile.State(rawValue: row[4]) else {
                throw StoreError(.corrupted, "read a watched file", "its state is unknown")
            }
            let problem: String? = row[11]
            return WatchedFile(
                name: row[0], storeID: row[1], seen: row[2], seenAt: row[3], state: state, filed: row[5],
                digest: row[6], file: row[7], target: row[8], goneAt: row[9],
                attempts: row[10], problem: problem.flatMap(DriveProblem.init))
        }
    }

    func file(named name: String) throws -> WatchedFile? { try files(where: "name = ?2", [name]).first }

    /// The file of the library that has these bytes already, as what was filed of this file before, or under the same
    /// name in the place; nil for none.
    func sameFile(
        as digest: ContentDigest, _ known: WatchedFile, named name: String, in place: LibraryPlace, _ view: LibraryView
    ) throws -> FileEntry.ID? {
        if known.digest == digest, let id = known.file,
            let file = try view.files(where: "file.id = ?2", [id]).first, file.digest == digest
        {
            return id
        }
        guard let file = try view.file(in: place, key: FileName.key(name)), file.digest == digest else { return nil }
        return file.id
    }

    // MARK: Writing

    func write(_ findings: WatchFindings) throws {
        let remove = "DELETE FROM drive_watch_file WHERE watch_id = ? AND name = ?"
        for name in findings.removed { try db.execute(remove, [watch, name]) }
        for file in findings.written {
            try db.execute(remove, [watch, file.name])
            try insert(file)
        }
    }

    private func insert(_ file: WatchedFile) throws {
        try db.execute(
            """
            INSERT INTO drive_watch_file (watch_id, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                watch, file.name, file.storeID, file.seen, file.seenAt, file.state.rawValue, file.filed, file.digest,
                file.file, file.target, file.goneAt, file.attempts, file.problem?.rawValue,
            ])
    }

    /// Notes what a file of the folder became.
    /// - Parameter content: the state of the content that was filed.
    func noteFiled(_ name: String, _ content: String, _ digest: ContentDigest, as file: FileEntry.ID) throws {
        try db.execute(
            """
            UPDATE drive_watch_file SET seen = ?3, filed = ?3, digest = ?4, file_id = ?5, attempts = 0, problem = NULL,
                state = CASE (SELECT disposition FROM drive_watch WHERE id = ?1) WHEN 'leave' THEN 'done' ELSE 'filed'
                    END
            WHERE watch_id = ?1 AND name = ?2
            """, [watch, name, content, digest, file])
    }

    /// Notes that a file cannot be filed. One that changed meanwhile has to hold still again first.
    func noteRefused(_ name: String, _ problem: DriveProblem) throws {
        let isFinal = problem != .changed && problem != .notFound
        try db.execute(
            """
            UPDATE drive_watch_file SET attempts = attempts + 1, problem = ?3, seen_at = ?4,
                state = CASE WHEN ?5 = 1 OR attempts + 1 >= ?6 THEN 'refused' ELSE 'waiting' END
            WHERE watch_id = ?1 AND name = ?2 AND state = 'due'
            """, [watch, name, problem.rawValue, Timestamp.now, isFinal, WatchedFile.maxAttempts])
    }

    /// Notes that a file could not be read for now; `countFailures` tells what it counts for.
    func noteFailure(_ name: String, _ problem: DriveProblem) throws {
        try db.execute(
            "UPDATE drive_watch_file SET problem = ? WHERE watch_id = ? AND name = ? AND state = 'due'",
            [problem.rawValue, watch, name])
    }

    /// Settles the failures of files that could not be read for now, at the end of their transfer.
    /// - Parameter areTheirs: whether the store was read otherwise.
    func countFailures(areTheirs: Bool) throws {
        let isFinal = "?2 = 1 AND attempts + 1 >= ?3"
        try db.execute(
            """
            UPDATE drive_watch_file SET attempts = attempts + ?2,
                state = CASE WHEN \(isFinal) THEN 'refused' ELSE state END,
                problem = CASE WHEN \(isFinal) THEN problem END
            WHERE watch_id = ?1 AND state = 'due' AND problem IS NOT NULL
            """, [watch, areTheirs, WatchedFile.maxAttempts])
    }

    /// Has what could not be filed, moved or marked tried again.
    func tryAgain() throws {
        try db.execute(
            """
            UPDATE drive_watch_file SET attempts = 0, problem = NULL,
                state = CASE state WHEN 'refused' THEN 'waiting' ELSE 'filed' END
            WHERE watch_id = ? AND state IN ('refused', 'unmoved')
            """, [watch])
    }

    // MARK: Moves and marks

    func noteMarking(_ name: String, as target: String) throws {
        try db.execute(
            "UPDATE drive_watch_file SET target = ? WHERE watch_id = ? AND name = ? AND state = 'filed'",
            [target, watch, name])
    }

    func notePutAway(_ name: String, marked: (name: String, content: String, isSame: Bool)?) throws {
        guard var file = try file(named: name) else { return }
        file.state = .done
        file.target = nil
        var findings = WatchFindings(removed: [name])
        if let marked {
            file.name = marked.name
            (file.seen, file.filed) = (marked.content, marked.isSame ? marked.content : nil)
            if !marked.isSame { file.state = .waiting }
        } else {
            file.goneAt = .now
        }
        findings.written = [file]
        try write(findings)
    }

    func noteUnmoved(_ name: String, _ problem: DriveProblem) throws {
        try db.execute(
            """
            UPDATE drive_watch_file SET attempts = attempts + 1, problem = ?3,
                state = CASE WHEN attempts + 1 >= ?4 THEN 'unmoved' ELSE 'filed' END
            WHERE watch_id = ?1 AND name = ?2 AND state = 'filed'
            """, [watch, name, problem.rawValue, WatchedFile.maxAttempts])
    }
}
