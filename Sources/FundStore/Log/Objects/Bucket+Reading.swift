internal import FundCore
internal import ObjectStorage

extension Bucket {
    /// Bytes of a part, of which one is in memory.
    private static let readBytes: Int64 = 16 << 20

    /// Reads the bytes of an object up to `end`, a part at a time, without a cache. Throws `corrupted` where there is
    /// none, or one of another size, and as `StoreError.init(_:_:)`.
    ///
    /// - Parameter size: bytes of the whole object.
    func readAll(
        _ key: ObjectKey, upTo end: Int64, of size: Int64, _ consume: ([UInt8]) throws -> Void
    ) throws {
        let operation = "fetch a segment"
        for start in stride(from: 0, to: end, by: Int(Self.readBytes)) {
            let part: ObjectPart
            do throws(ObjectStorageError) { part = try get(key, start..<min(start + Self.readBytes, end)) } catch {
                guard ![.missing, .outOfRange].contains(error.code) else {
                    throw StoreError(.corrupted, operation, "\(address) has no \(key) of \(size) bytes")
                }
                throw StoreError(error, operation)
            }
            guard part.size == size else {
                throw StoreError(.corrupted, operation, "\(key) has \(part.size) bytes, not \(size)")
            }
            try consume(part.bytes)
        }
    }
}
