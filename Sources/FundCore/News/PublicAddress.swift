/// Tells addresses of the public internet from all others (https://www.iana.org/assignments/iana-ipv4-special-registry,
/// https://www.iana.org/assignments/iana-ipv6-special-registry).
package enum PublicAddress {
    /// - Parameter bytes: four of IPv4, or sixteen of IPv6; others are not public.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: !isIn(blocked4, bytes)
        case 16: isPublic6(bytes)
        default: false
        }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        // IPv4 in other clothes: mapped (RFC 4291 §2.5.5.2), and translated (RFC 6052 §2.1).
        if isIn([mapped], bytes) || isIn([translated], bytes) { return isPublic(Array(bytes.suffix(4))) }
        return isIn([globalUnicast], bytes) && !isIn(blocked6, bytes)
    }

    /// The first bits of an address.
    private struct Prefix {
        var bytes: [UInt8]
        var bits: Int
    }

    private static func isIn(_ prefixes: [Prefix], _ address: [UInt8]) -> Bool {
        prefixes.contains { prefix in
            (0..<prefix.bits).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                let wanted = bit / 8 < prefix.bytes.count ? prefix.bytes[bit / 8] : 0
                return address[bit / 8] & mask == wanted & mask
            }
        }
    }

    private static let blocked4 = [
        Prefix(bytes: [0], bits: 8), Prefix(bytes: [10], bits: 8), Prefix(bytes: [100, 64], bits: 10),
        Prefix(bytes: [127], bits: 8), Prefix(bytes: [169, 254], bits: 16), Prefix(bytes: [172, 16], bits: 12),
        Prefix(bytes: [192, 0, 0], bits: 24), Prefix(bytes: [192, 0, 2], bits: 24),
        Prefix(bytes: [192, 31, 196], bits: 24), Prefix(bytes: [192, 52, 193], bits: 24),
        Prefix(bytes: [192, 88, 99], bits: 24), Prefix(bytes: [192, 168], bits: 16),
        Prefix(bytes: [192, 175, 48], bits: 24), Prefix(bytes: [198, 18], bits: 15),
        Prefix(bytes: [198, 51, 100], bits: 24), Prefix(bytes: [203, 0, 113], bits: 24),
        // Multicast, reserved, and broadcast.
        Prefix(bytes: [224], bits: 3),
    ]

    private static let mapped = Prefix(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], bits: 96)
    private static let translated = Prefix(bytes: [0, 0x64, 0xFF, 0x9B], bits: 96)
    private static let globalUnicast = Prefix(bytes: [0x20], bits: 3)

    /// Within 2000::/3: Teredo and other protocols, documentation, 6to4.
    private static let blocked6 = [
        Prefix(bytes: [0x20, 0x01, 0], bits: 23), Prefix(bytes: [0x20, 0x01, 0x0D, 0xB8], bits: 32),
        Prefix(bytes: [0x20, 0x02], bits: 16), Prefix(bytes: [0x26, 0x20, 0, 0x4F, 0x80, 0], bits: 48),
        Prefix(bytes: [0x3F, 0xFF, 0], bits: 20),
    ]
}
