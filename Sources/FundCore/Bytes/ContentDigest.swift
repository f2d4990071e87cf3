package import Crypto

/// A SHA-256 digest (FIPS 180-4): 32 bytes, written as 64 lower-case hexadecimal digits.
package struct ContentDigest: Sendable, Hashable, CustomStringConvertible {
    package static let byteCount = 32

    private let words: (UInt64, UInt64, UInt64, UInt64)

    package init(_ digest: SHA256.Digest) {
        words = digest.withUnsafeBytes { Self.words(of: $0) }
    }

    /// Nil unless there are exactly 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        words =
            bytes.withContiguousStorageIfAvailable { Self.words(of: UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { Self.words(of: $0) }
    }

    /// Nil unless `hex` is 64 hexadecimal digits.
    package init?(hex: String) {
        guard let bytes = Hex.bytes(hex.utf8) else { return nil }
        self.init(bytes: bytes)
    }

    /// The digest of bytes that are in memory.
    package static func of(_ bytes: some Sequence<UInt8>) -> ContentDigest {
        ContentDigest(SHA256.hash(data: Array(bytes)))
    }

    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Hands over the 32 bytes, for the time of the call.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words, body)
    }

    package var hex: String { withUnsafeBytes { Hex.text($0) } }

    package var description: String { hex }

    package static func == (a: ContentDigest, b: ContentDigest) -> Bool { a.words == b.words }

    package func hash(into hasher: inout Hasher) {
        // One word is as random as all four: pairs with the same word can be made, but not the thousands that slow a
        // table down.
        hasher.combine(words.0)
    }

    private static func words(of bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self) }
        return (word(0), word(1), word(2), word(3))
    }
}
