import FundCore

/// Finding of a database in a log that is ahead of it.
struct NewerLog: Hashable, Sendable {
    private static let maxNamed = 5

    /// Segments with committed records that no row knows, and that were not known to have any.
    var segments: [SegmentNumber]
    /// Segments with records and without a row that cannot be told to be of this store: an older version wrote them,
    /// whose marks name no store, or another store did.
    var unknown: [SegmentNumber] = []

    /// Notes it in the audit trail.
    func note(_ db: Database) throws {
        try db.writeAudit(.logAhead, of: "log", ahead, by: "fundmail")
    }

    private static func names(_ segments: [SegmentNumber]) -> String {
        let names = segments.prefix(maxNamed).map(\.fileName).joined(separator: ", ")
        return segments.count > maxNamed ? "\(names) and \(segments.count - maxNamed) more" : names
    }

    private var ahead: String {
        """
        the log is ahead of the database, which is an older one: what stands in \(Self.names(segments)) has no rows. \
        Nothing of it is cut, removed or written over. `fundmail verify` names it, `fundmail verify --repair` \
        files it again, and `fundmail salvage` reads it
        """
    }
}

extension NewerLog: CustomStringConvertible {
    var description: String {
        let strange = """
            no row of the database knows \(Self.names(unknown)) in log/: the database is older than the log, or \
            empty, or these are of another store. They stay as they are, and no backup has them. \
            `fundmail verify --repair` files what is in them, and `fundmail salvage` reads it
            """
        return [segments.isEmpty ? nil : ahead, unknown.isEmpty ? nil : strange].compactMap(\.self)
            .joined(separator: ". ")
    }
}
