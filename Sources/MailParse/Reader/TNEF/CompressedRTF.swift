import FundCore

/// The compression of RTF bodies (MS-OXRTFCP §2.2).
enum CompressedRTF {
    /// A body of more bytes is not unpacked.
    static let maxBytes = 16 << 20

    private static let compressed: UInt32 = 0x7546_5A4C  // "LZFu"
    private static let plain: UInt32 = 0x414C_454D  // "MELA"
    private static let dictionaryBytes = 4096

    /// Beginning of every dictionary: 207 bytes (§2.1.2.1).
    static let dictionaryStart = Array(
        (#"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "#
            + #"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"#
            + "\r\n" + #"\par \pard\plain\f0\fs20\b\i\u\tab\tx"#).utf8)

    /// Nil when it is none, ends before its end, or is too large.
    static func unpack(_ stream: ByteCursor) -> [UInt8]? {
        var stream = stream
        guard stream.u32() != nil, let size = stream.u32(), let kind = stream.u32(), stream.u32() != nil,
            size <= maxBytes
        else { return nil }
        switch kind {
        case plain: return stream.take(Int(size)).map { Array(stream.slice($0)) }
        case compressed: return unpack(&stream, size: Int(size))
        default: return nil
        }
    }

    private static func unpack(_ stream: inout ByteCursor, size: Int) -> [UInt8]? {
        var dictionary = dictionaryStart + [UInt8](repeating: .space, count: dictionaryBytes - dictionaryStart.count)
        var position = dictionaryStart.count
        var output: [UInt8] = []
        output.reserveCapacity(size)
        func put(_ byte: UInt8) {
            output.append(byte)
            dictionary[position] = byte
            position = (position + 1) % dictionaryBytes
        }
        while output.count <= maxBytes {
            guard let control = stream.u8() else { return nil }
            for bit in 0..<8 {
                if control >> bit & 1 == 0 {
                    guard let byte = stream.u8() else { return nil }
                    put(byte)
                } else {
                    guard let high = stream.u8(), let low = stream.u8() else { return nil }
                    let offset = Int(high) << 4 | Int(low) >> 4
                    if offset == position { return output }
                    for index in 0..<((Int(low) & 15) + 2) { put(dictionary[(offset + index) % dictionaryBytes]) }
                }
            }
        }
        return nil
    }
}
