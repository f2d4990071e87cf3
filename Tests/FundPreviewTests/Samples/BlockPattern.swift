/// A picture whose difference hash is known before anything draws it: 9 × 8 blocks of grey, of which each is 45 shades
/// lighter or darker than the one to its left.
enum BlockPattern {
    static let columns = 9
    static let rows = 8
    /// In pixels, where it is drawn as itself.
    static let width = 100 * columns
    static let height = 100 * rows

    /// A row each; a bit is 1 where the block is lighter than the one before it, the first pair in the highest bit.
    private static let bits: [UInt8] = [
        0b1011_0100, 0b0100_1011, 0b1100_1010, 0b0011_0101, 0b1110_0100, 0b0001_1011, 0b1001_0110, 0b0110_1001,
    ]

    /// Result of `DecodedPicture.differenceHash` for it.
    static let hash = bits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }

    /// 30…210, by row and column.
    static let shades: [[Int]] = bits.map { bits in
        let steps = (0..<8).map { bits >> (7 - $0) & 1 == 1 ? 1 : -1 }
        let levels = steps.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
        let lowest = levels.min() ?? 0
        return levels.map { 30 + 45 * ($0 - lowest) }
    }

    /// The pattern as PGM (P5 of netpbm), which libvips and FFmpeg read.
    static func pgm() -> [UInt8] {
        var bytes = Array("P5\n\(width) \(height)\n255\n".utf8)
        for row in shades {
            let line = row.flatMap { [UInt8](repeating: UInt8($0), count: width / columns) }
            for _ in 0..<(height / rows) { bytes += line }
        }
        return bytes
    }

    static func svg() -> [UInt8] {
        let blocks = each { row, column, shade in
            "<rect x='\(column)' y='\(row)' width='1' height='1' fill='rgb(\(shade),\(shade),\(shade))'/>"
        }
        let root = "<svg xmlns='http://www.w3.org/2000/svg' width='\(width)' height='\(height)'"
        return Array("\(root) viewBox='0 0 \(columns) \(rows)'>\(blocks)</svg>".utf8)
    }

    /// The content of a page of a PDF (ISO 32000-1 §8), from the lower left corner on.
    static func pdfContent(blockPoints: Int) -> String {
        each { row, column, shade in
            "\(Double(shade) / 255) g \(column * blockPoints) \((rows - 1 - row) * blockPoints)"
                + " \(blockPoints) \(blockPoints) re f\n"
        }
    }

    private static func each(_ text: (_ row: Int, _ column: Int, _ shade: Int) -> String) -> String {
        shades.enumerated().map { row, shades in
            shades.enumerated().map { text(row, $0, $1) }.joined()
        }.joined()
    }
}
