import FundCore

/// The size that the header of a WebP picture says (RFC 9649).
struct WebPHeader: Hashable {
    /// In pixels.
    var width: Int
    var height: Int

    /// Nil for what is no WebP, or not whole.
    init?(_ bytes: [UInt8]) {
        guard bytes.has("RIFF"), bytes.has("WEBP", at: 8), let size = bytes.little32(at: 4), size + 8 == bytes.count,
            let chunk = bytes.little32(at: 16), chunk + 20 <= bytes.count
        else { return nil }
        if bytes.has("VP8 ", at: 12) {
            // RFC 6386 §9.1: a start code, then 14 bits of each side.
            guard bytes.count >= 30, bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]),
                let wide = bytes.little16(at: 26), let high = bytes.little16(at: 28)
            else { return nil }
            (width, height) = (wide & 0x3FFF, high & 0x3FFF)
        } else if bytes.has("VP8L", at: 12) {
            // RFC 9649 §3.4: a signature, then 14 bits of each side less one.
            guard bytes.count >= 25, bytes[20] == 0x2F, let sides = bytes.little32(at: 21) else { return nil }
            (width, height) = (sides & 0x3FFF + 1, sides >> 14 & 0x3FFF + 1)
        } else if bytes.has("VP8X", at: 12) {
            // RFC 9649 §2.7: 24 bits of each side less one.
            guard bytes.count >= 30, let wide = bytes.little32(at: 24), let high = bytes.little32(at: 26) else {
                return nil
            }
            (width, height) = (wide & 0xFF_FFFF + 1, high >> 8 + 1)
        } else {
            return nil
        }
        guard width > 0, height > 0 else { return nil }
    }
}
