internal import Glibc
import FundCore

/// Result of a restore.
package struct RestoreReport: Sendable, Hashable {
    package var state: BackupState
    package var segments = 0
    package var bytes: Int64 = 0
    /// Damage of the backup, one sentence each.
    package var damages: [String] = []
}

/// A folder that `backup` writes into.
package struct BackupFolder: Sendable {
    private let location: StoreLocation
    private var states: KeptStates { KeptStates(backup: location) }

    package init(path: String) { location = StoreLocation(root: path) }

    /// States that it can give back, the newest first. Throws `notFound` when there is no backup.
    package func all() throws -> [BackupState] {
        try StoreError.wrapping("look into the backup \(location.root)") {
            let kept = try states.all()
            do { return [try latest(isQuick: true)] + kept } catch let error as StoreError
                where error.code == .invalid
            {
                guard !kept.isEmpty else { throw error }
                return kept
            }
        }
    }

    private func latest(isQuick: Bool = false) throws -> BackupState {
        let (contents, remains) = try BackupRemains.read(location, isQuick: isQuick)
        if let remains { throw remains.error }
        guard let contents else {
            throw StoreError(
                .notFound, "look into the backup \(location.root)",
                "there is no fundmail.sqlite in it; name the folder that `fundmail backup` wrote")
        }
        let time = try contents.token?.at ?? DiskFile.modified(location.database)
        return BackupState(
            name: nil, time: time, number: contents.token?.number ?? 0, commits: contents.progress.position,
            databaseBytes: DiskFile.size(of: location.database) ?? 0, segments: contents.segments)
    }

    /// Makes a store of a state in `target`, which is not there or empty. It is made beside that, and gets its name
    /// when it is whole.
    ///
    /// - Parameter name: of the state, or a part of it from its beginning on; nil for the latest. Throws `notFound` for
    ///   a state that is not there, `alreadyExists` when `target` holds something, `invalid` when it lies in the backup
    ///   or the backup's own database cannot be read, `corrupted`, `outOfSpace`, `io`. What is damaged is reported, and
    ///   what is whole comes.
    package func restore(
        _ name: String?, to target: String,
        onProgress: @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) throws -> RestoreReport {
        let operation = "restore to \(target)"
        return try StoreError.wrapping(operation) {
            let state = try state(name, operation)
            var target = target
            while target.count > 1, target.hasSuffix("/") { target.removeLast() }
            guard !location.contains(target) else {
                throw StoreError(.invalid, operation, "the folder lies in the backup; name one outside of it")
            }
            try DiskDirectory.makeAll(upTo: target, isPrivate: true)
            guard try DiskDirectory.names(in: target).isEmpty else {
                throw StoreError(.alreadyExists, operation, "the folder is not empty; name one that is new")
            }
            let draft = StoreLocation(root: "\(target).\(DiskDirectory.uniqueName(prefix: "part"))")
            do {
                let report = try make(state, in: draft, onProgress)
                try DiskFile.rename(draft.root, to: target)
                return report
            } catch {
                for folder in [draft.log, draft.temporary, draft.lost, draft.root] { DiskFile.removeFolder(folder) }
                throw error
            }
        }
    }

    private func make(
        _ state: BackupState, in made: StoreLocation, _ onProgress: (_ done: Int64, _ total: Int64) -> Void
    ) throws -> RestoreReport {
        try made.create()
        if state.name == nil {
            try DatabaseFile.copy(location.database, to: made.database)
        } else {
            try unpack(state, into: made)
        }
        try markCopy(made)
        try DiskFile.sync(made.database)
        // The list beside it is not relied on.
        let contents = try DatabaseFile.read(made.database, BackupContents.init)
        var report = RestoreReport(state: state)
        try copy(contents, into: made, &report, onProgress)
        report.damages += try NeededRecords(location: made).damages()
        if DiskFile.size(of: location.serverKey) != nil {
            try DiskFile.copy(location.serverKey, to: made.serverKey)
        }
        try DiskFile.syncNames(in: made.root)
        return report
    }

    /// Marks also what was made of a store, or of a backup that was used as one: it begins a history of its own.
    private func markCopy(_ made: StoreLocation) throws {
        // `verify` finds damage there.
        try Database.readable(or: ()) {
            guard try !DatabaseFile.read(made.database, StoreHistory.isCopy) else { return }
            try DatabaseFile.change(made.database, StoreHistory.markCopy)
        }
    }

    private func unpack(_ state: BackupState, into made: StoreLocation) throws {
        do {
            try states.unpack(state, into: made.database)
            _ = try BackupContents.read(made.database)
        } catch let error where ConnectionPool.isDamage(error) {
            throw StoreError(
                .invalid, "restore the state \(state.name ?? "")",
                "its database in the backup is damaged: this state cannot be had back. Nothing was written. "
                    + "`fundmail restore \(location.root) --list` names the others")
        }
    }

    private func state(_ name: String?, _ operation: String) throws -> BackupState {
        guard let name else { return try latest() }
        let found = try all().filter { $0.name?.hasPrefix(name) ?? false }
        guard found.count <= 1 else {
            throw StoreError(
                .invalid, operation,
                "\(found.count) states begin with \(name): \(found.compactMap(\.name).joined(separator: ", "))")
        }
        guard let state = found.first else {
            throw StoreError(.notFound, operation, "the backup keeps no state \(name); --list names those that it has")
        }
        return state
    }

    private func copy(
        _ contents: BackupContents, into made: StoreLocation, _ report: inout RestoreReport,
        _ onProgress: (_ done: Int64, _ total: Int64) -> Void
    ) throws {
        let (latest, kept) = (LogDirectory(of: location), states.log)
        let directory = LogDirectory(of: made)
        let total = contents.segments.values.reduce(0) { $0 + $1.end }
        var done: Int64 = 0
        for (number, segment) in contents.segments.sorted(by: { $0.key < $1.key }) {
            do {
                let isKept = DiskFile.size(of: kept.path(of: number)) != nil
                let original = try (isKept ? kept : latest).read(number)
                let end = min(segment.end, try original.size())
                var copy = SegmentCopy(of: original)
                try copy.write(0..<end, into: directory.path(of: number))
                report.segments += 1
                report.bytes += end
                if end < segment.end { throw LogDamage(.cutOff, number, end) }
            } catch let damage as LogDamage { report.damages.append(damage.description) }
            done += segment.end
            onProgress(done, total)
        }
        try directory.sync()
    }
}
