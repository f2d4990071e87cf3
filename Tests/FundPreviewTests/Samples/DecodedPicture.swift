import Foundation

/// The pixels of a picture that a converter made, in grey, decoded by another program than made it: dwebp(1).
struct DecodedPicture {
    let width: Int
    let height: Int
    /// 0…255, row after row.
    private let shades: [UInt8]

    /// Throws what no decoder takes.
    init(webp: [UInt8]) throws {
        let folder = try SampleFolder()
        let input = "\(folder.path)/input.webp"
        try Data(webp).write(to: URL(fileURLWithPath: input))
        let output = try folder.make("picture.ppm", "dwebp", ["-quiet", "-ppm", input, "-o", "OUT"])
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: output)))
        // "P6\n480 427\n255\n", then three bytes a pixel.
        let lines = bytes.prefix(64).split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
        let numbers =
            lines.count == 4 ? lines[1].split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) } : []
        guard numbers.count == 2, let width = Int(numbers[0]), let height = Int(numbers[1]),
            bytes.count == lines[3].startIndex + 3 * width * height
        else { throw CocoaError(.fileReadCorruptFile) }
        (self.width, self.height) = (width, height)
        let start = lines[3].startIndex
        // Luma of ITU-R BT.601.
        shades = (0..<(width * height)).map { pixel in
            let colours = (0..<3).map { Int(bytes[start + 3 * pixel + $0]) }
            return UInt8((299 * colours[0] + 587 * colours[1] + 114 * colours[2]) / 1000)
        }
    }

    struct Box: Equatable {
        var columns: Range<Int>
        var rows: Range<Int>
    }

    var whole: Box { Box(columns: 0..<width, rows: 0..<height) }

    /// The rows and columns of which a tenth is not white: a picture on a page, not its text. Nil where there are none.
    var filled: Box? {
        func isInk(_ column: Int, _ row: Int) -> Bool { shades[row * width + column] < 245 }
        let rows = (0..<height).filter { row in (0..<width).count { isInk($0, row) } * 10 >= width }
        let columns = (0..<width).filter { column in (0..<height).count { isInk(column, $0) } * 10 >= height }
        guard let top = rows.first, let bottom = rows.last, let left = columns.first, let right = columns.last else {
            return nil
        }
        return Box(columns: left..<(right + 1), rows: top..<(bottom + 1))
    }

    /// The share of pixels that are not white.
    var inkShare: Double { Double(shades.count { $0 < 245 }) / Double(max(shades.count, 1)) }

    /// The part of a box that is not white.
    func inkShare(of box: Box) -> Double {
        let ink = box.rows.reduce(0) { sum, row in sum + box.columns.count { shades[row * width + $0] < 245 } }
        return Double(ink) / Double(max(box.rows.count * box.columns.count, 1))
    }

    /// 64 bits (dHash): of 9 × 8 blocks, whether each is lighter than the one to its left, row after row. It stays
    /// nearly the same when a picture is scaled, compressed or given other colours, and differs in half of its bits
    /// from that of another picture.
    func differenceHash(of box: Box) -> UInt64 {
        var hash: UInt64 = 0
        for row in 0..<8 {
            let means = (0..<9).map { mean(Self.part($0, of: 9, box.columns), Self.part(row, of: 8, box.rows)) }
            for (left, right) in zip(means, means.dropFirst()) { hash = hash << 1 | (right > left ? 1 : 0) }
        }
        return hash
    }

    /// How many bits of the hash of `box` differ from another hash: 0…64.
    func distance(to hash: UInt64, of box: Box) -> Int { (differenceHash(of: box) ^ hash).nonzeroBitCount }

    private static func part(_ number: Int, of count: Int, _ range: Range<Int>) -> Range<Int> {
        let (start, size) = (range.lowerBound, range.count)
        let first = start + size * number / count
        return first..<max(start + size * (number + 1) / count, first + 1)
    }

    private func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
        let sum = rows.reduce(0) { sum, row in
            columns.reduce(sum) { $0 + Int(shades[min(row, height - 1) * width + min($1, width - 1)]) }
        }
        return Double(sum) / Double(columns.count * rows.count)
    }
}
