internal import FundCore
internal import ObjectStorage
internal import Synchronization

/// A segment as an object, which is read through the cache of this machine. It is opened with its first byte: a segment
/// that rows know needs no request before.
final class ObjectSegment: HeldSegment {
    let number: SegmentNumber
    let salt: UInt64
    let hasDamagedOpening: Bool
    /// Only rows tell the salt of an object whose opening has changed.
    let hasProvenSalt = true
    private let key: ObjectKey
    private let log: ObjectSegments
    private let object: Mutex<CachedObject?>

    private static let operation = "read the log"

    /// - Parameter salt: as rows have it; nil reads the opening. Throws as `SegmentStore.read`.
    init(_ object: SegmentObject, salt: UInt64?, of log: ObjectSegments) throws {
        (number, key, self.log) = (object.number, log.key(of: object), log)
        if let salt {
            (self.salt, hasDamagedOpening) = (salt, false)
            self.object = Mutex(nil)
            return
        }
        let access = ObjectAccess(number: number, key: key, log: log)
        let opened = try access.open()
        guard let opening = SegmentFile.read(opening: try access.bytes(LogFormat.openingBytes, at: 0, of: opened)),
            opening.number == number
        else { throw LogDamage(.opening, number, 0) }
        (self.salt, hasDamagedOpening) = (opening.salt, false)
        self.object = Mutex(opened)
    }

    private var access: ObjectAccess { ObjectAccess(number: number, key: key, log: log) }

    private func opened() throws -> CachedObject {
        try object.withLock { object in
            if let object { return object }
            let opened = try access.open()
            object = opened
            return opened
        }
    }

    func size() throws -> Int64 { try opened().size }

    func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
        try access.bytes(count, at: offset, of: opened())
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try access.fill(buffer, at: offset, of: opened())
    }

    /// Negative: blocks of the cache are compared with their checksums each time.
    func fillFromMemory(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int { -1 }

    /// No byte of an object is given back.
    func nextData(from offset: Int64) -> Range<Int64>? { offset..<Int64.max }

    func isInMemory(_ count: Int, at offset: Int64) -> Bool { false }

    var sendingDescriptor: Int32? { nil }

    /// Nil: only what is sent from a descriptor is held.
    func hold(_ location: RecordLocation) -> RecordHold? { nil }

    /// Deletes the object. Nothing happens where it is gone.
    func remove() throws {
        do throws(ObjectStorageError) { try log.bucket.delete(key) } catch {
            throw StoreError(error, "remove a segment")
        }
    }

    /// Requests about one object, whose failures are those of a segment.
    private struct ObjectAccess {
        let number: SegmentNumber
        let key: ObjectKey
        let log: ObjectSegments

        func open() throws -> CachedObject {
            try translating(0) { () throws(ObjectStorageError) in try log.cache.object(key, in: log.bucket) }
        }

        func bytes(_ count: Int, at offset: Int64, of object: CachedObject) throws -> [UInt8] {
            try [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
                found = 0
                found = try fill(UnsafeMutableRawBufferPointer(buffer), at: offset, of: object)
            }
        }

        func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64, of object: CachedObject) throws -> Int {
            try translating(offset) { () throws(ObjectStorageError) in try object.fill(buffer, at: offset) }
        }

        private func translating<Value>(
            _ offset: Int64, _ body: () throws(ObjectStorageError) -> Value
        ) throws -> Value {
            do throws(ObjectStorageError) { return try body() } catch {
                switch error.code {
                case .missing:
                    // Nothing is missing in a bucket that is not the log's.
                    try log.requireInPlace()
                    throw LogDamage(.missingSegment, number, 0)
                case .damaged, .outOfRange: throw LogDamage(.unreadable, number, offset)
                default: throw StoreError(error, ObjectSegment.operation)
                }
            }
        }
    }
}
