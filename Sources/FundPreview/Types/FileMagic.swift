import FundCore

/// Formats that say what they are in fixed bytes at a fixed place.
enum FileMagic {
    private struct Mark {
        var type: TrueType
        var bytes: [UInt8]
        var offset = 0
    }

    private static let marks: [Mark] = [
        Mark(type: .pdf, bytes: Array("%PDF-".utf8)),
        Mark(type: .jpeg, bytes: [0xFF, 0xD8, 0xFF]),
        Mark(type: .png, bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Mark(type: .gif, bytes: Array("GIF87a".utf8)),
        Mark(type: .gif, bytes: Array("GIF89a".utf8)),
        Mark(type: .tiff, bytes: [0x49, 0x49, 42, 0]),
        Mark(type: .tiff, bytes: [0x4D, 0x4D, 0, 42]),
        // BigTIFF
        Mark(type: .tiff, bytes: [0x49, 0x49, 43, 0]),
        Mark(type: .tiff, bytes: [0x4D, 0x4D, 0, 43]),
        Mark(type: .rtf, bytes: Array("{\\rtf".utf8)),
        Mark(type: .matroska, bytes: [0x1A, 0x45, 0xDF, 0xA3]),
        Mark(type: .ogg, bytes: Array("OggS".utf8)),
        Mark(type: .flac, bytes: Array("fLaC".utf8)),
        Mark(type: .amr, bytes: Array("#!AMR".utf8)),
        // The pack header of a program stream, and the sequence header of a bare one (ISO/IEC 13818-1, -2).
        Mark(type: .mpegVideo, bytes: [0, 0, 1, 0xBA]),
        Mark(type: .mpegVideo, bytes: [0, 0, 1, 0xB3]),
        Mark(type: .sevenZip, bytes: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Mark(type: .gzip, bytes: [0x1F, 0x8B, 8]),
        Mark(type: .tar, bytes: Array("ustar".utf8), offset: 257),
    ]

    static func type(of bytes: [UInt8]) -> TrueType? {
        let found = marks.first { bytes.dropFirst($0.offset).starts(with: $0.bytes) }
        if let found { return found.type }
        if isBitmap(bytes) { return .bmp }
        return isTransportStream(bytes) ? .mpegVideo : nil
    }

    /// Readers of PDF take a header within the first KiB (ISO 32000-1, annex H.3.4.1).
    static func displacedPDF(_ bytes: [UInt8]) -> TrueType? {
        ASCII.firstIndex(of: Array("%PDF-".utf8), in: Array(bytes.prefix(1024))) == nil ? nil : .pdf
    }

    /// `BM` are letters, too: the size of the second header must be one of those that exist.
    private static func isBitmap(_ bytes: [UInt8]) -> Bool {
        guard bytes.has("BM"), let size = bytes.little32(at: 14) else { return false }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(size)
    }

    /// Packets of 188 bytes, each of which begins with 0x47 (ISO/IEC 13818-1 §2.4.3).
    private static func isTransportStream(_ bytes: [UInt8]) -> Bool {
        let packets = stride(from: 0, to: 188 * 5, by: 188)
        return packets.allSatisfy { $0 < bytes.count && bytes[$0] == 0x47 }
    }
}
