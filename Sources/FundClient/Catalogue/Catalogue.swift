public import Foundation
internal import GRDB

/// Local copy of the account's things on the server, to be read at once and without a network. `CatalogueSync` keeps it
/// as the server is. Several processes may have it open.
public final class Catalogue: Sendable {
    let database: ClientDatabase

    /// Opens it, or makes an empty one.
    /// - Parameter folder: of the account on this machine; the transfers and the cache of the account lie there, too.
    /// - Throws: `local` or `noSpaceHere`.
    public init(in folder: String) throws(ClientError) { database = try ClientDatabase(in: folder) }

    /// Folder of the account.
    public var folder: String { database.folder }

    /// Ends all use of it; another call on it fails.
    public func close() throws(ClientError) { try database.close() }

    /// Standing of the catalogue in the feed of changes.
    public struct Standing: Sendable, Hashable {
        /// Cursor at which the feed goes on.
        public var cursor: ChangeCursor
        /// It holds all that there was at one moment. False during the first sync, and when the server asked to begin
        /// anew.
        public var isComplete: Bool
        /// When it was as the server is, last; nil before it ever was.
        public var caughtUpAt: Date?
        /// Begins with 1, one more each time it was begun anew.
        var round: Int64
        /// The history id that the server gives; nil before the first answer, and for a server that gives none.
        var history: String?
    }

    /// Present standing in the feed of changes.
    public func standing() async throws(ClientError) -> Standing { try await database.read { try Standing($0) } }

    /// Number of things of a kind.
    public func count(of kind: Change.Kind) async throws(ClientError) -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(kind.rawValue)") ?? 0 }
    }
}

extension Catalogue.Standing {
    init(_ db: Database) throws {
        let row = try Row.fetchOne(db, sql: "SELECT cursor, round, is_complete, caught_up_at, history FROM feed")
        cursor = ChangeCursor(row?["cursor"] ?? 0)
        round = row?["round"] ?? 1
        isComplete = row?["is_complete"] ?? false
        caughtUpAt = row?.optionalTime("caught_up_at")
        history = row?["history"]
    }
}
