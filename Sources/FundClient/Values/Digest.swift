/// The SHA-256 of some bytes, by which equal contents are known.
public struct Digest: Hashable, Sendable, Codable, CustomStringConvertible {
    static let byteCount = 32

    /// The bytes in their order, eight in each: hundreds of thousands of digests may be in memory, and none of them has
    /// an array of its own.
    private let first, second, third, fourth: UInt64

    /// 32 of them.
    public var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }

    /// Nil unless there are 32.
    public init?(bytes: some Sequence<UInt8>) {
        var (words, count) = (SIMD4<UInt64>(), 0)
        for byte in bytes {
            guard count < Self.byteCount else { return nil }
            words[count / 8] = words[count / 8] << 8 | UInt64(byte)
            count += 1
        }
        guard count == Self.byteCount else { return nil }
        (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
    }

    /// - Parameter hex: 64 hexadecimal digits in lower case, as servers write it; nil for anything else.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.init(bytes: bytes)
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// 64 hexadecimal digits in lower case.
    public var description: String {
        String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads the hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let digest = Digest(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a SHA-256")
        }
        self = digest
    }

    /// Writes what servers read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
