internal import FundCore
internal import Glibc

/// Files of segments that are objects, too: they are given back to the disk, and fetched again.
extension ObjectUpkeep {
    /// Time for another process to end its giving back of bytes.
    private static let reclaimWait = Duration.seconds(10)

    // MARK: Giving back

    /// Gives the files of the earliest segments back to the disk, until the others take at most `limit` bytes. Each is
    /// compared with its object before, byte by byte.
    mutating func giveBack(keeping limit: Int64) throws {
        let files = try log.directory.segments()
        var bytes = files.reduce(0) { $0 + log.directory.storedBytes(of: $1) }
        guard bytes > limit else { return }
        let known = try connection.read("look for segments to give back") { try SegmentObjectRows(db: $0).matching() }
        giving: for object in known where bytes > limit && !shouldStop() {
            let size = log.directory.storedBytes(of: object.object.number)
            guard size > 0 else { continue }
            switch try giveBack(object) {
            case .stays: continue
            case .laterAll: break giving
            case .done:
                bytes -= size
                report.givenBack += 1
                report.givenBackBytes += size
                onProgress(report)
            }
        }
        try DiskFile.syncNames(in: connection.location.log)
    }

    /// Outcome for one file.
    private enum GivingBack { case done, stays, laterAll }

    /// A file stays while it is in use, and where the object is another one now. None goes while a backup is made.
    private mutating func giveBack(_ known: SegmentObjectRows.Known) throws -> GivingBack {
        let number = known.object.number
        let held: (any HeldSegment)?
        do { held = try log.directory.hold(number, for: .keeping) } catch is LogDamage { return .stays }
        guard let file = held else { return .stays }
        guard try file.size() == known.bytes && objects.isSame(file, as: known.object) else {
            report.problems.append("the object of \(number.fileName) has other bytes than the file; it is put anew")
            try write { try $0.putAnew(known.object) }
            return .stays
        }
        // No bytes are given back in the file once the rows say that it goes; they say whether any were since it was
        // put.
        guard let lease = try connection.leases.take(.reclaim, waitingUpTo: Self.reclaimWait) else { return .laterAll }
        defer { lease.end() }
        guard try write({ try $0.setAlone(known.object) }) else { return .stays }
        log.faults.reach(.beforeFileGoes)
        try file.remove()
        log.reader.forget(number)
        return .done
    }

    // MARK: Fetching

    /// Fetches segments of which records are to be given up: an object never changes. What is purged leaves the bucket
    /// a day after the segment was put anew.
    mutating func fetchChanged() throws {
        let known = try connection.read("look for segments to fetch") { try SegmentObjectRows(db: $0).changed() }
        for object in known where !shouldStop() {
            do { try fetch(object) } catch let error as StoreError where error.code == .corrupted {
                // The others need not wait for one that is missing.
                report.problems.append(error.detail)
            }
        }
        if !known.isEmpty { try log.reclaim() }
    }

    /// Fetches all segments that have no file on this disk.
    mutating func fetchAll() throws {
        guard let lease = try connection.leases.take(.bucket, waitingUpTo: .seconds(60)) else {
            throw StoreError(.held, "fetch segments", "another process brings segments to the bucket or back")
        }
        defer { lease.end() }
        let files = Set(try log.directory.segments())
        let whole = try connection.read("look for segments to fetch") { try SegmentObjectRows(db: $0).all(.whole) }
        for known in whole where !files.contains(known.object.number) || known.isAlone {
            guard !shouldStop() else { break }
            try fetch(known)
            onProgress(report)
        }
    }

    /// Makes a file of an object, once all of its records were compared with their checksums.
    private mutating func fetch(_ known: SegmentObjectRows.Known) throws {
        let (location, number) = (connection.location, known.object.number)
        if DiskFile.kind(of: log.directory.path(of: number)) == nil {
            try connection.space.require(known.bytes)
            let draft = LogDirectory(path: location.fetched, temporary: location.temporary)
            try DiskDirectory.make(draft.path, isPrivate: true, owner: connection.owner)
            let path = draft.path(of: number)
            unlink(path)
            defer { unlink(path) }
            try DiskFile.write(path, owner: connection.owner) { append in
                try objects.read(known.object, bytes: known.bytes) { try $0.withUnsafeBytes(append) }
            }
            let (end, salt) = try bounds(of: number)
            let damages = try LogCheck.damages(in: number, draft, upTo: end).damages
            guard damages.isEmpty, try salt == nil || draft.read(number).salt == salt else {
                let damage = damages.first ?? "it is a segment of another log"
                return report.problems.append("the object of \(number.fileName) is damaged: \(damage)")
            }
            guard link(path, log.directory.path(of: number)) == 0 || errno == EEXIST else {
                throw DiskError("link to", log.directory.path(of: number))
            }
            try DiskFile.syncNames(in: location.log)
            log.faults.reach(.afterFileCame)
            report.fetched += 1
        }
        try write { try $0.setFile(known.object) }
        log.reader.forget(number)
    }

    /// End of the records of a segment, and its salt.
    private func bounds(of number: SegmentNumber) throws -> (end: Int64?, salt: UInt64?) {
        try connection.read("look at a segment") { db in
            let row = try db.row("SELECT end_offset, salt FROM segment WHERE number = ?", [number])
            let (end, salt): (Int64?, Int64?) = row.map { ($0[0], $0[1]) } ?? (nil, nil)
            return (end, salt.map(UInt64.init(bitPattern:)))
        }
    }
}
