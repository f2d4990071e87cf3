package import FundCore

extension StoreMaintenance {
    /// Limit of bytes that one call copies: a few seconds of a disk.
    private static let compactedBytes: Int64 = 256 << 20

    /// The time for which letters are kept that do not wait any more. (A clock that is ahead removes no more than that
    /// history.)
    private static let letterMemory = Duration.seconds(90 * 86_400)

    /// The time for which a file of contacts waits for its user's word.
    private static let importMemory = Duration.seconds(86_400)

    /// Removes what a killed process left in `tmp`, uploads that no client went on with for a day, and parts of files
    /// of transfers that have ended; gives the bytes of what was purged back to the disk, compacts the log, and forgets
    /// old letters, files of contacts that were not imported within a day, and people of mail of long ago. Safe beside
    /// runs and uploads of any process. Returns how many files of `tmp` went.
    package func sweep(now: Timestamp = .now) async throws -> Int {
        try await connection.running("remove what a crash left") { [self] in
            var count = try LargeRecord.sweep(log.connection.location.temporary)
            count += try KeptUpload.sweep(log, now: now)
            count += try PulledPartFiles(log).sweep()
            try log.reclaim()
            try log.compact(atMost: Self.compactedBytes)
            try forgetLetters(before: now - Self.letterMemory)
            try forgetContacts(before: now - Self.importMemory)
            return count
        }
    }

    private func forgetContacts(before time: Timestamp) throws {
        let operation = "forget people of mail"
        let isNeeded = try connection.read(operation) { db in
            try db.exists("SELECT 1 FROM contact_import WHERE at < ?", [time]) || KnownAddressRows(db: db).hasExcess()
        }
        guard isNeeded else { return }
        try connection.write(operation, .reserve) { db in
            try db.execute("DELETE FROM contact_import WHERE at < ?", [time])
            try KnownAddressRows(db: db).forgetExcess()
        }
    }

    private func forgetLetters(before time: Timestamp) throws {
        let operation = "forget letters"
        while try connection.read(operation, { try OutboxRows.hasOlder(than: time, $0) }) {
            try connection.write(operation, .reserve) { db in
                try OutboxRows(db: db, now: .now).forget(before: time)
                try DigestRows(db: db).forget(before: time)
            }
        }
    }
}
