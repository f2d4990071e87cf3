/// Points of Ed25519 as they are written (RFC 8032 §5.1.2): the coordinate y in little-endian order, and the sign of x
/// in the highest bit.
enum EdwardsPoint {
    private static let bytes = 32
    private static let signBit: UInt8 = 0x80
    /// The lowest byte of the prime 2^255 - 19, whose other bytes are all ones.
    private static let lowByteOfPrime: UInt8 = 0xED

    /// Whether a point can be a public key: it is written in the one way that there is, and its order is large.
    ///
    /// A verifier multiplies the key by a digest of what is signed. Of a point of small order there are eight multiples
    /// at most, so that signatures can be made for it without a private key. Libraries take such points for keys (RFC
    /// 8032 §5.1.7 does not refuse them). Whether the point is on the curve is seen when a signature is checked.
    static func isKey(_ point: [UInt8]) -> Bool {
        guard point.count == bytes else { return false }
        var y = point
        y[bytes - 1] &= ~signBit
        return isBelowPrime(y) && !smallOrders.contains(y)
    }

    /// Whether it is less than the prime: other numbers are a second way to write a point (RFC 8032 §5.1.3).
    private static func isBelowPrime(_ y: [UInt8]) -> Bool {
        y[0] < lowByteOfPrime || y[bytes - 1] != ~signBit || y[1..<(bytes - 1)].contains { $0 != 0xFF }
    }

    /// The coordinates y of the eight points whose order is 1 (y = 1), 2 (y = -1), 4 (y = 0) and 8: there y and -y
    /// solve d·y⁴ + 2·y² = 1.
    private static let smallOrders: Set<[UInt8]> = [
        [1] + [UInt8](repeating: 0, count: bytes - 1),
        [lowByteOfPrime - 1] + [UInt8](repeating: 0xFF, count: bytes - 2) + [~signBit],
        [UInt8](repeating: 0, count: bytes),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF,
            0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20,
            0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]
}
