import FundCore

/// Segments that are objects, too. Those that have no file are read from the bucket like all others; of the rest the
/// bucket is asked whether they are there.
extension StoreCheck {
    static let bucketPath = "bucket"
    private static let leaseWait = Duration.seconds(10)

    mutating func noteObjectInstead(of path: String) {
        add(
            .damagedSegment, path, unmended,
            "its file is missing, and its object is read instead; `fundmail bucket fetch` brings the file back")
    }

    /// Compares the list of the bucket with the rows. An object that is missing is put again by the next run where the
    /// file is there.
    mutating func checkObjects() throws {
        guard let objects = log.objects else { return }
        // No file goes, and no object comes, while they are compared to be repaired.
        let lease = isRepairing ? try connection.leases.take(.bucket, waitingUpTo: Self.leaseWait) : nil
        defer { lease?.end() }
        let known = try connection.readAroundDamage("look for objects") { db in
            try Database.readable(or: []) { try SegmentObjectRows(db: db).all(.whole) }
        }
        let there: [SegmentObject: Int64]
        do {
            there = Dictionary(try objects.forUpkeep().listed().map { ($0.object, $0.bytes) }) { $1 }
        } catch let error as StoreError {
            return add(.damagedObject, Self.bucketPath, unmended, "it cannot be looked at: \(error.detail)")
        }
        for object in known where there[object.object] != object.bytes {
            let (name, number) = ("\(Self.bucketPath)/\(object.object)", object.object.number)
            let detail = there[object.object].map { "it has \($0) bytes, not \(object.bytes)" } ?? "it is missing"
            // One that was replaced meanwhile is not needed.
            let isStill = try connection.read("look at an object again") { db in
                try SegmentObjectRows(db: db).whole(number)?.known == object
            }
            guard isStill else { continue }
            let hasFile = log.directory.storedBytes(of: number) > 0
            guard isRepairing, lease != nil, hasFile, !object.isAlone else {
                let advice = hasFile ? "; `fundmail verify --repair` has it put again" : ", and the segment has no file"
                add(.damagedObject, name, unmended, detail + advice)
                continue
            }
            try connection.write("forget an object", .reserve) {
                try SegmentObjectRows(db: $0).drop(object.object, at: .now)
            }
            add(.damagedObject, name, .settled, "\(detail); the segment is put again")
        }
    }
}
