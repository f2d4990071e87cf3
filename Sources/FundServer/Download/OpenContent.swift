internal import Hummingbird
internal import FundCore
internal import Synchronization

/// A file, an attachment or a raw message that is open for reading. All calls block, unless they say otherwise.
final class OpenContent: Sendable {
    let digest: ContentDigest
    let size: Int64
    private let stored: any StoredContent

    /// Throws `DamageError` when it is missing, damaged as far as is known by now, or has another size, else the error
    /// of the store.
    init(_ content: ServedContent, in files: any ContentReading) throws {
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

    /// Reads these bytes if they were read before and are in memory since, else nil. Does not wait for the disk.
    func readWithoutWaiting(_ range: Range<Int64>) -> ByteBuffer? {
        guard !range.isEmpty else { return ByteBuffer() }
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        let isRead = buffer.withUnsafeMutableWritableBytes { bytes in
            stored.readWithoutWaiting(
                at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<range.count]))
        }
        guard isRead else { return nil }
        buffer.moveWriterIndex(forwardBy: range.count)
        return buffer
    }

    /// Where these bytes stand, under the same conditions. Does not wait for the disk.
    func region(_ range: Range<Int64>) -> StoredRegion? { stored.region(range) }

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

/// Contents that were sent lately: what is in memory of them is sent without a switch of threads.
final class RecentContents: Sendable {
    private static let maxContents = 10_000

    private let contents = Mutex(BoundedTable<ContentDigest, OpenContent>(maxEntries: maxContents))

    func keep(_ content: OpenContent) { contents.withLock { $0[content.digest] = content } }

    /// Nil when it was not sent lately.
    subscript(_ content: ServedContent) -> OpenContent? {
        guard let open = contents.withLock({ $0[content.digest] }), open.size == content.size else { return nil }
        return open
    }
}
