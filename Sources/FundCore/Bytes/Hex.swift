/// Hexadecimal digits (RFC 4648 §8), two for each byte.
package enum Hex {
    /// In lower case.
    @inlinable
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
            var count = 0
            for byte in bytes {
                buffer[count] = digit(byte >> 4)
                buffer[count + 1] = digit(byte & 15)
                count += 2
            }
            return count
        }
    }

    /// Nil unless these are digits of either case, two for each byte.
    package static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var iterator = digits.makeIterator()
        while let high = iterator.next() {
            guard let high = ASCII.hexValue(high), let low = iterator.next().flatMap(ASCII.hexValue) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The lower-case digit of a number from 0 to 15.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}
