internal import Glibc
import FundCore

extension FundStore {
    /// Prepares to file all of the log again, into a store that knows nothing of it: see `DatabaseRebuild`.
    ///
    /// - Parameters:
    ///   - places: further segments, as `Salvage` takes them.
    ///   - onProgress: segments that were looked through.
    package func recoverLog(
        also places: [String], onProgress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws -> LogRecovery {
        try await connection.running("read the log") { [log] in
            let own = try Self.ownSegments(log)
            let left = LeftLog(
                LeftFiles(in: [log.connection.location.log] + places), hasRowsBeside: true, onProgress: onProgress)
            let recovery = LogRecovery(left, own: own, isWholeLog: true, in: log)
            try recovery.addSegments()
            return recovery
        }
    }

    /// Prepares to file what the log has behind a database that is older; nil when there is nothing of that kind.
    package func recoverNewerRecords() async throws -> (recovery: LogRecovery, segments: [String])? {
        try await connection.running("read the log") { [log] in
            let files = try NewerSegments.find(in: log)
            guard !files.files.isEmpty else { return nil }
            let left = LeftLog(files, known: { try log.blob($0) }, store: log.directory.store)
            let own = try Self.ownSegments(log)
            let recovery = LogRecovery(left, own: own, isWholeLog: false, in: log)
            try recovery.addSegments()
            let names = files.files.map { $0.path.split(separator: "/").last ?? "" }
            return (recovery, names.map { "\(StoreLocation.logName)/\($0)" })
        }
    }

    /// Notes in the rows that everything of a recovery is filed.
    package func finish(_ recovery: LogRecovery) async throws {
        try await connection.running("finish segments of the log") { try recovery.finishSegments() }
    }

    /// The store's own segments by their paths without links.
    private static func ownSegments(_ log: StoreLog) throws -> [String: SegmentNumber] {
        let folder = log.connection.location.realLog
        return try log.segments.segments().reduce(into: [:]) { $0["\(folder)/\($1.fileName)"] = $1 }
    }
}

/// Records that the log has behind the rows, because they are older.
enum NewerSegments {
    /// Committed records behind what a segment's row knows, and segments without a row. Those of another store are left
    /// out.
    static func find(in log: StoreLog) throws -> LeftFiles {
        // First the files: a segment gets its row before its file.
        let numbers = try log.segments.segments()
        let folder = log.connection.location.realLog
        return LeftFiles(
            try numbers.compactMap { number in
                try range(of: number, in: log).map { LeftFile(path: "\(folder)/\(number.fileName)", range: $0) }
            })
    }

    /// The range of a segment that rows do not know; nil where they know all.
    private static func range(of number: SegmentNumber, in log: StoreLog) throws -> Range<Int64>? {
        let first = try row(of: number, log)
        guard let file = try? log.segments.read(number), try file.size() > LogFormat.openingBytes
        else { return nil }
        guard let first else {
            // It may have been removed, its file first.
            let isThere = access(log.connection.location.path(number.nameInStore), F_OK) == 0
            return try isThere && row(of: number, log) == nil ? Int64(LogFormat.openingBytes)..<Int64.max : nil
        }
        // A segment that is ahead may have records without a mark, see `StoreLog.leaveNewer`. All of it is looked at:
        // where this was broken off, records that stand before others may have no row yet.
        if first.isAhead { return Int64(LogFormat.openingBytes)..<Int64.max }
        // Rows stay with the file that they have, so one whose beginning has changed cannot be copied and moved away.
        guard first.salt == nil || first.salt == Int64(bitPattern: file.salt), !file.hasDamagedOpening else {
            return nil
        }
        let committed = try file.commitMark(behind: first.end)?.end ?? first.end
        // A process may have committed them meanwhile.
        guard committed > first.end, let second = try row(of: number, log), committed > second.end else { return nil }
        return second.end..<committed
    }

    private static func row(
        of number: SegmentNumber, _ log: StoreLog
    ) throws -> (end: Int64, salt: Int64?, isAhead: Bool)? {
        try log.connection.read("look at a segment") { db in
            try db.row("SELECT end_offset, salt, is_ahead FROM segment WHERE number = ?", [number]).map {
                ($0[0], $0[1], $0[2])
            }
        }
    }
}
