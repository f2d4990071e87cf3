import Testing

@testable import FundStore

@Suite struct PackedBodyTests {
    private static let text = Array(String(repeating: "Please find the report attached. ", count: 100).utf8)

    private func pack(_ parts: [[UInt8]]) -> [UInt8]? {
        let joined = parts.reduce([], +)
        return joined.withUnsafeBytes { bytes in
            var (views, start): ([UnsafeRawBufferPointer], Int) = ([], 0)
            for part in parts {
                views.append(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + part.count)]))
                start += part.count
            }
            return PackedBody.pack(views)
        }
    }

    @Test func textComesBack() throws {
        let packed = try #require(pack([Array(Self.text[..<700]), Array(Self.text[700...])]))
        #expect(packed.count < Self.text.count / 3)
        #expect(PackedBody.unpack(packed) == Self.text)
    }

    @Test func whatDoesNotShrinkStaysAsItIs() {
        var generator = SystemRandomNumberGenerator()
        #expect(pack([(0..<4000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }]) == nil)
        #expect(pack([Array(Self.text[..<100])]) == nil)
        #expect(pack([]) == nil)
        #expect(pack([[UInt8](repeating: 65, count: Int(LogFormat.largeBytes) + 1)]) == nil)
    }

    /// Checksums find damage before; what passes them is no frame of ours.
    @Test func otherBytesAreNone() throws {
        let packed = try #require(pack([Self.text]))
        for count in 0..<packed.count { #expect(PackedBody.unpack(Array(packed[..<count])) == nil) }
        for count: UInt64 in [0, 1, UInt64(Self.text.count) - 1, UInt64(Self.text.count) + 1, 1 << 40, .max] {
            var other: [UInt8] = []
            other.append(integer: count)
            #expect(PackedBody.unpack(other + packed[8...]) == nil)
        }
        for index in 8..<packed.count {
            var other = packed
            other[index] ^= 0x10
            if let body = PackedBody.unpack(other) { #expect(body.count == Self.text.count) }
        }
    }
}
