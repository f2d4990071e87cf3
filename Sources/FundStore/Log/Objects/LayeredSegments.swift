internal import FundCore

/// The segments of a log of which some are objects: the file counts where there is one, else the object.
struct LayeredSegments: Sendable {
    let files: LogDirectory
    /// The segments as objects. Throws where there is no key.
    let objects: @Sendable () throws -> ObjectSegments
    /// Segments whose files were given back to the disk.
    let alone: @Sendable () throws -> [SegmentNumber]

    /// The object of a segment whose file is missing. Throws `damage` where no row knows one.
    private func object(_ number: SegmentNumber, else damage: LogDamage) throws -> any HeldSegment {
        // Nothing is missing in a folder that is not the log's.
        try files.requireInPlace()
        guard damage.kind == .missingSegment else { throw damage }
        guard let object = try objects().hold(number, for: .keeping) else { throw damage }
        return object
    }
}

extension LayeredSegments: SegmentStore {
    func segments() throws -> [SegmentNumber] { try Set(files.segments()).union(alone()).sorted() }

    func read(_ number: SegmentNumber) throws -> any SegmentReader {
        do { return try files.read(number) } catch let damage as LogDamage {
            return try object(number, else: damage)
        }
    }

    /// For removal there is nothing to take of a segment without a file: its object goes by its row.
    func hold(_ number: SegmentNumber, for purpose: SegmentPurpose) throws -> (any HeldSegment)? {
        do { return try files.hold(number, for: purpose) } catch let damage as LogDamage where purpose == .keeping {
            return try object(number, else: damage)
        }
    }

    /// A record of an object is given up later, once its segment is a file again.
    func giveUp(
        _ records: [(location: RecordLocation, digest: ContentDigest)], in number: SegmentNumber
    ) throws -> [RecordLocation] {
        do { return try files.giveUp(records, in: number) } catch let damage as LogDamage {
            guard damage.kind == .missingSegment, try alone().contains(number) else { throw damage }
            return records.map(\.location)
        }
    }

    /// Bytes on this disk.
    func storedBytes(of number: SegmentNumber) -> Int64 { files.storedBytes(of: number) }

    func requireInPlace() throws { try files.requireInPlace() }
}
