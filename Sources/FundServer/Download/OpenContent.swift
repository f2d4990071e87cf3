internal import FundCore
internal import NIOCore
internal import Synchronization

/// A file, an attachment or a raw message that is open for reading. All calls block, unless they say otherwise.
final class OpenContent: Sendable {
    let digest: ContentDigest
    let size: Int64
    private let stored: any StoredContent

    /// Throws `DamageError` when it is missing, damaged as far as is known by now, or has another size, else the error
    /// of the store.
    init(_ content: ServedContent, in files: any FileLibrary) throws {
        digest = content.digest
        size = content.size
        stored = try Self.noticing { try files.content(of: content.digest, size: content.size) }
    }

    /// Reads exactly these bytes.
    func read(_ range: Range<Int64>) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        try Self.noticing { try stored.read(range) { buffer.writeBytes($0) } }
        guard buffer.readableBytes == range.count else { throw DamageError(detail: "it ends early") }
        return buffer
    }

    /// Reads these bytes if all of them are in memory, else nil. Does not wait for the disk.
    func readWithoutWaiting(_ range: Range<Int64>) -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        let isRead = stored.readWithoutWaiting(range) { buffer.writeBytes($0) }
        return isRead && buffer.readableBytes == range.count ? buffer : nil
    }

    /// Gives the whole content, in pieces.
    func readAll(_ consume: (UnsafeRawBufferPointer) -> Void) throws {
        try Self.noticing { try stored.read(0..<size, consume) }
    }

    private static func noticing<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let failure as StoreError where failure.code == .corrupted {
            throw DamageError(detail: failure.detail)
        }
    }
}

/// Why a content cannot be served: its bytes are missing, unreadable or damaged.
struct DamageError: Error {
    /// For the log.
    var detail: String
}

/// Contents that were sent lately: bytes that are in memory are read without a switch of threads.
final class RecentContents: Sendable {
    private static let maxContents = 10_000

    private let contents = Mutex(BoundedTable<ContentDigest, OpenContent>(maxEntries: maxContents))

    func keep(_ content: OpenContent) { contents.withLock { $0[content.digest] = content } }

    /// Nil unless these bytes are in memory and what they were when they were stored.
    func read(_ content: ServedContent, _ range: Range<Int64>) -> ByteBuffer? {
        guard let open = contents.withLock({ $0[content.digest] }), open.size == content.size else { return nil }
        return open.readWithoutWaiting(range)
    }
}
