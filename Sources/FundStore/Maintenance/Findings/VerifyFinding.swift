package import FundCore

/// One finding of `verify`, and what was done about it.
package struct VerifyFinding: Sendable, Hashable {
    /// Kind of damage.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// SQLite's own integrity check or a foreign key failed.
        case database
        /// Rows that contradict each other: a file in a deleted folder, a deletion that nothing records.
        case library
        /// A row is not what was written there, as its checksum says.
        case changedRow = "changed_row"
        /// The key that seals tokens is no key.
        case damagedKey = "damaged_key"
        case missingRaw = "missing_raw"
        case damagedRaw = "damaged_raw"
        case missingBlob = "missing_blob"
        case damagedBlob = "damaged_blob"
        /// A record whose content is whole, and which does not say that it is needed: its state has changed, or says
        /// that it was given up.
        case damagedState = "damaged_state"
        /// A segment of the log whose file is missing, shorter than it was, or has another beginning.
        case damagedSegment = "damaged_segment"
        /// A segment that holds committed records which no row knows: the database is older than the log.
        case newerSegment = "newer_segment"
        /// A file that this user may not read: nothing is known about its content.
        case unreadable
        /// A file among the segments of the log that no row knows.
        case strangeFile = "strange_file"
        /// An object of a segment that is missing in the bucket, or has another size; or the bucket cannot be looked
        /// at.
        case damagedObject = "damaged_object"
    }

    /// Result of a repair, if one was tried.
    package enum Action: String, Sendable, Hashable {
        /// Nothing was changed: a check without repair.
        case reported
        /// Written again from the raw message.
        case rederived
        /// Records have rows again, or the rows that they had.
        case filedAgain = "filed_again"
        /// Moved to `lost/` of the store.
        case movedToLost = "moved_to_lost"
        /// The database or its indexes were written anew from the rows.
        case rebuilt
        /// Rows came back from a backup or the log.
        case restored
        /// Nothing that was damaged is needed any more, or it could be written again or put back.
        case settled
        /// The damage could not be mended.
        case unrepairable
    }

    package var kind: Kind
    /// Relative to the store, or what SQLite said.
    package var path: String
    package var digest: ContentDigest?
    package var action: Action
    package var detail: String

    package init(kind: Kind, path: String, digest: ContentDigest? = nil, action: Action, detail: String) {
        (self.kind, self.path, self.digest, self.action, self.detail) = (kind, path, digest, action, detail)
    }

    /// Creates a finding about rows.
    init(rows kind: Kind, _ action: Action, _ detail: String) {
        self.init(kind: kind, path: StoreLocation.databaseName, action: action, detail: detail)
    }
}

extension [VerifyFinding] {
    /// Whether a damaged database was left as it is: what is damaged is found again. One that was written anew without
    /// some of its rows is none of these, and what is missing is told of once.
    package var leftDatabaseDamaged: Bool {
        contains { $0.kind == .database && $0.action == .unrepairable }
            && !contains { $0.kind == .database && $0.action == .rebuilt }
    }
}

extension StoreConnection {
    /// Mends rows beside whatever else uses the store, where a look says that this is needed; not where the rows cannot
    /// be read. Gives what was done.
    func mend(
        _ operation: String, if isNeeded: (Database) throws -> Bool, _ body: (Database) throws -> [VerifyFinding]
    ) throws -> [VerifyFinding] {
        let isNeeded = try readAroundDamage(operation) { db in try Database.readable(or: false) { try isNeeded(db) } }
        return isNeeded ? try write(operation, .reserve, body) : []
    }
}

extension Database {
    /// Notes what a repair found and did, an entry for each. To be called in the transaction that does it: where the
    /// process is killed before it could report, it is read there.
    func writeAudit(of repairs: [VerifyFinding]) throws {
        for repair in repairs {
            let action = repair.action.rawValue.replacing("_", with: " ")
            try writeAudit(.storeRepair, of: repair.path, "\(action): \(repair.detail)", by: "fundmail")
        }
    }
}
