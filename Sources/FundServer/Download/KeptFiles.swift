package import FundCore
internal import Synchronization

/// Files of kept mail in memory, for a while: no row of the store has them, and previews of them are made from here.
/// The files of the messages that were opened last are there.
package final class KeptFiles: Sendable {
    /// Limit of all files together; the earliest go first.
    private static let maxBytes = 96 << 20

    private struct Place: Hashable {
        var message: MisrouteRecord.ID
        var index: Int
    }

    private struct State {
        var places: [Place: ServedContent] = [:]
        var bytes: [ContentDigest: [UInt8]] = [:]
        /// Digests in the order in which the files came.
        var digests: [ContentDigest] = []
        var byteCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// One of these files; nil for others.
    package func content(of digest: ContentDigest) -> (any StoredContent)? {
        state.withLock { $0.bytes[digest] }.map(BytesInMemory.init)
    }

    /// A file of a message that is here.
    func file(_ index: Int, of message: MisrouteRecord.ID) -> ServedContent? {
        state.withLock { $0.places[Place(message: message, index: index)] }
    }

    /// Keeps a file of a message. The caller has checked that its reader may have it.
    func keep(_ attachment: ParsedAttachment, _ bytes: [UInt8], _ index: Int, of message: MisrouteRecord.ID)
        -> ServedContent
    {
        let file = ServedContent(attachment)
        state.withLock { state in
            state.places[Place(message: message, index: index)] = file
            guard state.bytes.updateValue(bytes, forKey: file.digest) == nil else { return }
            state.digests.append(file.digest)
            state.byteCount += bytes.count
            while state.byteCount > Self.maxBytes, state.digests.count > 1 {
                let gone = state.digests.removeFirst()
                state.byteCount -= state.bytes.removeValue(forKey: gone)?.count ?? 0
                state.places = state.places.filter { $0.value.digest != gone }
            }
        }
        return file
    }
}

/// Bytes that are in memory, as a content.
private struct BytesInMemory: StoredContent {
    let bytes: [UInt8]

    var size: Int64 { Int64(bytes.count) }

    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let range = range.clamped(to: 0..<size)
        try bytes[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes(consume)
    }

    func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool { false }

    func region(_ range: Range<Int64>) -> StoredRegion? { nil }
}
