import FundCore

/// What a database finds in a log that is ahead of it.
struct NewerLog: Hashable, Sendable {
    /// Names of so many segments are said.
    private static let maxNamed = 5

    /// Where committed records stand that no row knows.
    var segments: [SegmentNumber]

    /// Says it in the audit trail.
    func note(_ db: Database) throws {
        try db.writeAudit("log.ahead", of: "log", description, by: "fundmail")
    }
}

extension NewerLog: CustomStringConvertible {
    var description: String {
        let names = segments.prefix(Self.maxNamed).map(\.fileName).joined(separator: ", ")
        let rest = segments.count > Self.maxNamed ? " and \(segments.count - Self.maxNamed) more" : ""
        return """
            the log is ahead of the database, which is an older one: what stands in \(names)\(rest) has no rows. \
            Nothing of it is cut, removed or written over. `fundmail verify` names it, `fundmail verify --repair` \
            files it again, and `fundmail salvage` reads it
            """
    }
}
