internal import FundCore
internal import ObjectStorage
internal import Synchronization

/// The way of a log to the objects of its segments. Connections and the cache are made when they are first needed: a
/// store whose segments are all files needs neither.
final class LogObjects: Sendable {
    let access: BytesAccess
    private let connection: StoreConnection
    private let store: ContentDigest
    private let opened = Mutex<ObjectSegments?>(nil)

    /// Limit of the blocks of objects that are kept on this disk.
    private static let cacheBytes: Int64 = 2 << 30

    /// - Parameter store: see `ObjectSegments`.
    init(_ access: BytesAccess, _ connection: StoreConnection, store: ContentDigest) {
        (self.access, self.connection, self.store) = (access, connection, store)
    }

    /// The objects for reading while a person waits.
    func forReading() throws -> ObjectSegments {
        try opened.withLock { opened in
            if let opened { return opened }
            let made = try segments(.interactive)
            opened = made
            return made
        }
    }

    /// The objects for work that no person waits for.
    func forUpkeep() throws -> ObjectSegments {
        var segments = try segments(.background)
        // A request of so many bytes ends in time on a slow line, and no more is begun again.
        if access.place.abilities.hasMultipart { segments.wholeBytes = segments.partBytes }
        return segments
    }

    private func segments(_ patience: RequestPatience) throws -> ObjectSegments {
        let connection = connection
        for folder in [connection.location.cache, connection.location.segmentCache] {
            try DiskDirectory.make(folder, isPrivate: true, owner: connection.owner)
        }
        return ObjectSegments(
            in: try access.bucket(patience),
            cache: try BlockCache(connection.location.segmentCache, maxBytes: Self.cacheBytes), store: store
        ) { number in
            try connection.read("look for an object") { db in
                try SegmentObjectRows(db: db).whole(number).map { whole in
                    .init(object: whole.known.object, salt: whole.salt.map(UInt64.init(bitPattern:)))
                }
            }
        }
    }
}
