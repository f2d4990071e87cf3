import FundCore

/// A random number that tells a store from others.
enum StoreIdentity {
    private static let name = "store"

    static func give(_ db: Database) throws { try Counter.set(name, Int64.random(in: 1 ... .max), db) }

    static func of(_ db: Database) throws -> Int64? { try Counter.value(name, db) }

    /// The digest by which commit marks name the store.
    static func mark(_ db: Database) throws -> ContentDigest {
        mark(of: try of(db) ?? 0)
    }

    static func mark(of store: Int64) -> ContentDigest {
        var bytes: [UInt8] = []
        bytes.append(integer: store)
        return .of(bytes)
    }
}
