internal import Glibc
import FundCore

/// The update of a store by the process that opens it. Its rows are copied before the first step, durably, into
/// `StoreLocation.updateCopy`, which gets the name `earlierRows` after the last one: between the two a process that was
/// killed is told by that file from an update that has not begun, and the next one goes on with the same copy.
///
/// The caller holds the write lock, and the use lock alone.
final class StoreUpdate {
    /// Number of copies that are kept, of the latest schemas.
    private static let keptCopies = 2
    private static let operation = "update the store"

    private let location: StoreLocation
    private let space: StoreSpace
    private let owner: FileOwner?
    private let options: UpdateOptions
    private let faults: FaultInjection
    /// Opening begins anew when it gives up a part of the reserve.
    private var isBegun = false

    init(
        _ location: StoreLocation, _ space: StoreSpace, owner: FileOwner?, _ options: UpdateOptions,
        faults: FaultInjection
    ) {
        (self.location, self.space, self.owner) = (location, space, owner)
        (self.options, self.faults) = (options, faults)
    }

    /// Brings the database up to date. Throws `outOfSpace` when the disk has no room for the copy, `corrupted` when
    /// pages cannot be read, `io`; nothing was changed then.
    ///
    /// - Parameter isOlder: whether an earlier version wrote the database; else it is empty, or up to date.
    func run(_ migrations: Migrations, on pool: ConnectionPool, isOlder: Bool) throws {
        guard isOlder else {
            try migrations.run(on: pool)
            return end(migrations)
        }
        try pool.withWriter { try begin($0, migrations) }
        try migrations.run(on: pool) { faults.reach(.afterUpdateStep) }
        end(migrations)
        faults.reach(.afterUpdate)
        // The number of the schema is read from the file itself by installers, who know no write-ahead log.
        try? pool.withWriter { $0.truncateWAL(waitingUpTo: 0) }
    }

    /// Announces the update and copies the rows.
    private func begin(_ db: Database, _ migrations: Migrations) throws {
        guard !isBegun else { return }
        let plan = try Self.plan(location, db, migrations, room: space.room)
        options.announce(plan)
        if !plan.isContinued {
            let mark = UpdateMark.make()
            removeCopy()
            if options.copiesRows { try copy(plan, mark) }
            try UpdateMark.give(mark, db)
        }
        isBegun = true
    }

    /// Gives the copy of an update that has ended its name, and removes copies beyond those that are kept.
    private func end(_ migrations: Migrations) {
        guard let copy = CopiedRows(location.updateCopy, migrations) else { return }
        guard rename(copy.path, location.earlierRows(ofSchema: copy.schema)) == 0 else { return }
        for old in Self.copies(in: location).dropLast(Self.keptCopies) { unlink(location.earlierRows(ofSchema: old)) }
        try? DiskFile.syncNames(in: location.root)
    }

    /// - Parameter room: bytes of the disk that the copy may take.
    static func plan(
        _ location: StoreLocation, _ db: Database, _ migrations: Migrations, room: Int64
    ) throws -> UpdatePlan {
        let steps = try migrations.pending(in: db)
        let (from, to) = (migrations.steps.count - steps.count, migrations.steps.count)
        // A copy of the present schema is of an update that took no step: rows may have changed since.
        var copy = CopiedRows(location.updateCopy, migrations)
        if let found = copy, try found.schema >= from || found.mark != UpdateMark.last(db) { copy = nil }
        return UpdatePlan(
            from: from, to: to, steps: steps, copy: location.earlierRows(ofSchema: copy?.schema ?? from),
            copyBytes: copy == nil ? try db.neededBytes : 0, room: room, isContinued: copy != nil)
    }

    /// Numbers of the schemas of copies that are kept, ascending.
    static func copies(in location: StoreLocation) -> [Int] {
        let names = (try? DiskDirectory.names(in: location.root)) ?? []
        return names.compactMap(StoreLocation.schema(ofEarlierRows:)).sorted()
    }

    private var draft: String { location.updateCopy + ".part" }

    private func removeCopy() {
        for path in [draft, location.updateCopy] {
            StoreLocation.removeDatabase(path)
            unlink(path + "-journal")
        }
    }

    private func copy(_ plan: UpdatePlan, _ mark: Int64) throws {
        guard plan.hasRoom else { throw refusal(plan) }
        do {
            // SQLite writes into an empty file, which has the mode and the owner that it needs.
            close(try DiskFile.open(draft, owner: owner, isNew: true))
            try DatabaseFile.copy(location.database, to: draft)
            // An earlier version that goes on with it begins a history, as with a backup: clients and letters may have
            // gone further.
            try DatabaseFile.change(draft) { db in
                if try db.hasTable("counter") { try StoreHistory.markCopy(db) }
                try UpdateMark.giveCopy(mark, db)
            }
            try DiskFile.sync(draft)
            faults.reach(.afterUpdateDraft)
            try DiskFile.rename(draft, to: location.updateCopy)
            try DiskFile.syncNames(in: location.root)
            faults.reach(.afterUpdateCopy)
        } catch {
            removeCopy()
            if StoreError.isOutOfSpace(error) { throw refusal(plan) }
            guard ConnectionPool.isDamage(error) else { throw error }
            throw StoreError(
                .corrupted, Self.operation,
                "its rows cannot be copied before, since pages of fundmail.sqlite are damaged. Nothing was changed: "
                    + "mend it with the earlier version (`fundmail verify --repair`), or update without the copy "
                    + "(`fundmail update --without-copy`)")
        }
    }

    private func refusal(_ plan: UpdatePlan) -> StoreError {
        StoreError(
            .outOfSpace, Self.operation,
            "its rows are copied before, which takes \(plan.copyBytes) bytes, and the disk has \(max(0, plan.room)) "
                + "for that. Nothing was changed: delete \(location.cache) (previews, which are made again) or other "
                + "files on that disk, or update without the copy (`fundmail update --without-copy`; then only a "
                + "backup leads back to the earlier version)")
    }
}
