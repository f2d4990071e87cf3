import FundCore

/// The size of a picture by its header, for formats in which that is a matter of some bytes: a program takes 60 ms to
/// start for it.
struct PictureHeader: Hashable {
    /// In pixels, as it is stored.
    var width: Int
    var height: Int
    /// It is shown turned by a quarter: orientations 5 to 8 of Exif.
    var isTurned = false

    /// Nil for other formats, and for what is broken.
    init?(_ file: FileWindow, type: TrueType) {
        switch type {
        case .png: self.init(png: file.bytes(at: 0, count: 24))
        case .gif: self.init(gif: file.bytes(at: 0, count: 10))
        case .jpeg: self.init(jpeg: file)
        default: return nil
        }
        guard width > 0, height > 0 else { return nil }
    }

    /// IHDR is the first chunk (PNG 3 §5.6).
    private init?(png bytes: [UInt8]) {
        guard bytes.has("IHDR", at: 12), let width = bytes.big32(at: 16), let height = bytes.big32(at: 20) else {
            return nil
        }
        (self.width, self.height) = (width, height)
    }

    private init?(gif bytes: [UInt8]) {
        guard let width = bytes.little16(at: 6), let height = bytes.little16(at: 8) else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// Segments before the picture: a camera writes some ten.
    private static let maxSegments = 512

    /// ITU-T T.81, annex B.
    private init?(jpeg file: FileWindow) {
        var (position, isTurned): (Int64, Bool?) = (2, nil)
        for _ in 0..<Self.maxSegments {
            let head = file.bytes(at: position, count: 10)
            guard head.count >= 4, head[0] == 0xFF else { return nil }
            let marker = head[1]
            // Bytes to fill up, and markers without a segment.
            if marker == 0xFF || marker == 1 || (0xD0...0xD8).contains(marker) {
                position += marker == 0xFF ? 1 : 2
                continue
            }
            // Start of the picture, before its size came.
            guard marker != 0xDA, marker != 0xD9 else { return nil }
            let length = Int(head[2]) << 8 | Int(head[3])
            let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame, head.count >= 9 {
                (width, height) = (Int(head[7]) << 8 | Int(head[8]), Int(head[5]) << 8 | Int(head[6]))
                self.isTurned = isTurned ?? false
                return
            }
            if marker == 0xE1, isTurned == nil {
                isTurned = Self.isTurned(exif: file.bytes(at: position + 4, count: length))
            }
            position += 2 + Int64(max(length, 2))
        }
        return nil
    }

    private static let orientation = 0x0112

    /// The tag Orientation of the first directory (Exif 2.32 §4.6.4); nil where there is none.
    private static func isTurned(exif bytes: [UInt8]) -> Bool? {
        guard bytes.has("Exif", at: 0) else { return nil }
        let data = Array(bytes.dropFirst(6))
        let isLittle = data.has("II")
        func number(_ index: Int) -> Int? {
            isLittle ? data.little16(at: index) : data.little16(at: index).map { $0 >> 8 | $0 & 0xFF << 8 }
        }
        let start = isLittle ? data.little32(at: 4) : data.big32(at: 4)
        guard let start, let count = number(start) else { return nil }
        for entry in 0..<min(count, 256) where number(start + 2 + 12 * entry) == orientation {
            return number(start + 10 + 12 * entry).map { (5...8).contains($0) }
        }
        return nil
    }
}
