internal import FundHTTP
internal import FundCore
internal import Synchronization

/// Pictures of files with the address of their viewer drawn into them. The latest are kept: a person who turns pages
/// comes back to them.
final class WatermarkedPictures: Sendable {
    /// Bytes of all pictures that are kept.
    private static let maxBytes = 32 << 20
    /// Pictures that are made at a time, and that wait; more are refused.
    private static let (makers, maxWaiting) = (2, 32)

    private struct Key: Hashable {
        /// Digest of the picture without a mark.
        var digest: ContentDigest
        var mark: String
    }

    private struct Kept {
        var pictures: [Key: [UInt8]] = [:]
        /// In the order in which they came.
        var keys: [Key] = []
        var byteCount = 0
    }

    private let source: any PreviewSource
    private let flights = SingleFlight<Key, [UInt8]>()
    private let slots = ResourcePool(Array(0..<makers), maxWaiting: maxWaiting)
    private let kept = Mutex(Kept())

    init(source: any PreviewSource) { self.source = source }

    /// The WebP of a picture with a text over all of it. Throws `RenditionFailure`, and `busy`.
    /// - Parameter origin: whose picture it is: one client never has all places.
    func picture(_ picture: PreviewContent, marked mark: String, for origin: String) async throws -> [UInt8] {
        let key = Key(digest: picture.rendition.digest, mark: mark)
        if let known = kept.withLock({ $0.pictures[key] }) { return known }
        return try await flights.run(key) { [self] in
            let slot: Int
            do { slot = try await slots.acquire(for: origin) } catch ResourcePoolError.full { throw RequestError.busy }
            defer { slots.release(slot) }
            let bytes = try await source.marked(picture, with: mark)
            keep(bytes, key)
            return bytes
        }
    }

    private func keep(_ bytes: [UInt8], _ key: Key) {
        kept.withLock { kept in
            guard kept.pictures.updateValue(bytes, forKey: key) == nil else { return }
            kept.keys.append(key)
            kept.byteCount += bytes.count
            while kept.byteCount > Self.maxBytes, kept.keys.count > 1 {
                kept.byteCount -= kept.pictures.removeValue(forKey: kept.keys.removeFirst())?.count ?? 0
            }
        }
    }
}
