import TestSupport
import Testing

@testable import FundCore

@Suite struct FingerprintHashTests {
    private static let key = FingerprintKey(bytes: [UInt8](0..<32))
    private static let otherKey = FingerprintKey(bytes: [UInt8](1...32))

    private func hash(_ bytes: [UInt8], _ key: FingerprintKey? = key, chunk: Int = .max) -> ContentDigest {
        var hash = FingerprintHash(key: key)
        var rest = bytes[...]
        while !rest.isEmpty {
            rest.prefix(chunk).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(chunk)
        }
        return hash.finalize()
    }

    private func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func chunksDoNotMatter(_ count: Int) {
        let bytes = bytes(count)
        let whole = hash(bytes)
        for chunk in [1, 1000, 16_384, 65_535, 65_536, 65_537, 131_073] { #expect(hash(bytes, chunk: chunk) == whole) }
    }

    @Test(arguments: [1, 65_536, 150_000]) func eachBitCounts(_ count: Int) {
        let bytes = bytes(count)
        var seen: Set = [hash(bytes), hash(bytes + [0]), hash(bytes.dropLast() + [0, 0])]
        let places = [0, count / 2, count - 1]
        for place in Set(places) {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << bit
                seen.insert(hash(other))
            }
        }
        #expect(seen.count == 3 + 8 * Set(places).count)
        #expect(hash([UInt8](repeating: 0, count: count)) != hash([UInt8](repeating: 0, count: count + 1)))
    }

    /// Blocks that change places are another message.
    @Test func theOrderOfBlocksCounts() {
        let (a, b) = (bytes(65_536), bytes(65_536).reversed())
        #expect(hash(a + b) != hash(b + a))
    }

    @Test func eachKeyHasItsOwn() {
        let bytes = bytes(1000)
        #expect(hash(bytes) != hash(bytes, Self.otherKey))
        #expect(hash(bytes, nil) == ContentDigest.of(bytes))
        #expect(FingerprintKey(bytes: [UInt8](repeating: 0, count: 31)) == nil)
    }
}
