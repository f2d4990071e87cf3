internal import FundCore
internal import ObjectStorage
internal import Synchronization

/// The segments of a log as objects of an S3-compatible store: `v1/STORE/seg/NUMBER-NONCE`, each put whole and sealed
/// before its rows, and never changed. They are read through a cache of this machine.
struct ObjectSegments: Sendable {
    /// The facts that rows have of a segment.
    struct Known: Hashable, Sendable {
        var object: SegmentObject
        /// Nil: the opening tells.
        var salt: UInt64?
    }

    let bucket: Bucket
    let cache: BlockCache
    let folder: String
    /// The segment of a number as rows know it: other objects of the number are what failed attempts left. Nil where
    /// there is no row.
    private let known: @Sendable (SegmentNumber) throws -> Known?

    /// - Parameters:
    ///   - store: the digest by which commit marks name the store: stores may share a bucket.
    ///   - known: see above.
    init(
        in bucket: Bucket, cache: BlockCache, store: ContentDigest,
        known: @escaping @Sendable (SegmentNumber) throws -> Known?
    ) {
        (self.bucket, self.cache, self.known) = (bucket, cache, known)
        folder = "v1/\(store.hex.prefix(Self.storeDigits))"
    }

    /// A segment up to this size is put by one request: more than any but that of a large record has.
    var wholeBytes: Int64 = 64 << 20
    /// Bytes of a part, of which one is in memory; more where there would be too many parts.
    var partBytes: Int64 = 16 << 20

    /// Half of the digest: as many bits as a UUID has.
    private static let storeDigits = 32
    private static let operation = "read the log"

    func key(of object: SegmentObject) -> ObjectKey { ObjectKey(validating: "\(folder)/seg/\(object)") }

    /// All objects of the log in the order of their numbers, those included that no row knows. Any failure of the
    /// listing is thrown: an object is not gone because it was not listed.
    func objects() throws -> [SegmentObject] {
        try listed().map(\.object)
    }

    private func open(_ number: SegmentNumber) throws -> ObjectSegment {
        guard let known = try known(number) else { throw LogDamage(.missingSegment, number, 0) }
        return try ObjectSegment(known.object, salt: known.salt, of: self)
    }

    // MARK: The log of a store

    private var markKey: ObjectKey { ObjectKey(validating: "\(folder)/log") }

    /// Makes the mark by which the log is known. Does nothing where it is.
    func make() throws {
        do throws(ObjectStorageError) { try bucket.put(Array(folder.utf8), at: markKey) } catch {
            throw StoreError(error, "make the log")
        }
    }
}

extension ObjectSegments: SegmentStore {
    /// The numbers of the objects that rows know.
    func segments() throws -> [SegmentNumber] {
        try objects().filter { try known($0.number)?.object == $0 }.map(\.number)
    }

    func read(_ number: SegmentNumber) throws -> any SegmentReader { try open(number) }

    /// No process appends to an object.
    func hold(_ number: SegmentNumber, for purpose: SegmentPurpose) throws -> (any HeldSegment)? { try open(number) }

    /// An object does not change: the bytes of its dead records stay until the segment goes, or is written anew.
    func giveUp(
        _ records: [(location: RecordLocation, digest: ContentDigest)], in number: SegmentNumber
    ) throws -> [RecordLocation] { [] }

    /// The bytes that the store keeps; 0 where it does not say.
    func storedBytes(of number: SegmentNumber) -> Int64 {
        guard let known = try? known(number) else { return 0 }
        return (try? bucket.facts(of: key(of: known.object)).size) ?? 0
    }

    /// Throws `logLost` where the bucket is gone, or has no log of this store.
    func requireInPlace() throws {
        do throws(ObjectStorageError) { _ = try bucket.facts(of: markKey) } catch {
            guard [.missing, .noBucket].contains(error.code) else { throw StoreError(error, Self.operation) }
            throw StoreError(.logLost, Self.operation, "\(bucket.address) has no log of this store")
        }
    }
}
