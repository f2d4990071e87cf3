/// Lengths of codes of multi-byte charsets, so that one that no table holds costs none of its neighbours.
enum DoubleByte {
    private static let eightBit: ClosedRange<UInt8> = 0xA1...0xFE

    /// The length of the code at the beginning of `bytes`, by its bytes alone; 1 where it is malformed.
    /// - Parameter converter: the name of the charset for iconv(3).
    static func length(of bytes: UnsafeRawBufferPointer, in converter: String) -> Int {
        guard bytes.count >= 2 else { return 1 }
        let (lead, trail) = (bytes[0], bytes[1])
        func pair(_ isTrail: Bool) -> Int { isTrail ? 2 : 1 }
        switch converter {
        case Big5.converter:
            return pair((0x81...0xFE).contains(lead) && ((0x40...0x7E).contains(trail) || eightBit.contains(trail)))
        case "CP932":
            return pair(
                ((0x81...0x9F).contains(lead) || (0xE0...0xFC).contains(lead))
                    && (0x40...0xFC).contains(trail) && trail != 0x7F)
        case "UHC":
            let isLetter = (0x41...0x5A).contains(trail) || (0x61...0x7A).contains(trail)
            return pair((0x81...0xFE).contains(lead) && (isLetter || (0x81...0xFE).contains(trail)))
        case "GB18030":
            guard (0x81...0xFE).contains(lead) else { return 1 }
            if (0x30...0x39).contains(trail) {
                guard bytes.count >= 4, (0x81...0xFE).contains(bytes[2]) else { return 1 }
                return (0x30...0x39).contains(bytes[3]) ? 4 : 1
            }
            return pair((0x40...0xFE).contains(trail) && trail != 0x7F)
        case "EUC-JP-MS":
            // 0x8F: a code of the supplement follows; 0x8E: half-width kana.
            if lead == 0x8F {
                return bytes.count >= 3 && eightBit.contains(trail) && eightBit.contains(bytes[2]) ? 3 : 1
            }
            return pair((lead == 0x8E || eightBit.contains(lead)) && eightBit.contains(trail))
        case "EUC-TW":
            // 0x8E: the plane follows, then the code.
            if lead == 0x8E {
                return bytes.count >= 4 && (0xA1...0xB0).contains(trail) && eightBit.contains(bytes[2])
                    && eightBit.contains(bytes[3]) ? 4 : 1
            }
            return pair(eightBit.contains(lead) && eightBit.contains(trail))
        default: return 1
        }
    }
}
