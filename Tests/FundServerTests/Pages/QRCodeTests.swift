import Testing

@testable import FundServer

struct QRCodeTests {
    /// The example of ISO/IEC 18004, Annex I: `01234567` in version 1-M has mask 010.
    private static let example = """
        #######..#.##.#######
        #.....#..####.#.....#
        #.###.#.#.....#.###.#
        #.###.#.##....#.###.#
        #.###.#.#.###.#.###.#
        #.....#.#...#.#.....#
        #######.#.#.#.#######
        ........#..##........
        #.#####..#..#.#####..
        ...#.#.##.#.#..#.##..
        ..#...##.#.#.#..#####
        ....#....#.....####..
        ...######..#.#..#....
        ........#.#####..##..
        #######..##.#.##.....
        #.....#.#.#####...#.#
        #.###.#.#...#..#.##..
        #.###.#.##..#..#.....
        #.###.#.#.##.#..#.#..
        #.....#........##.##.
        #######.####.#..#.#..
        """

    private func rows(_ code: QRCode) -> [String] {
        (0..<code.width).map { row in
            String(code.modules[(row * code.width)..<((row + 1) * code.width)].map { $0 ? "#" : "." })
        }
    }

    @Test
    func isTheExampleOfTheStandard() throws {
        #expect(rows(try QRCode("01234567")).joined(separator: "\n") == Self.example)
    }

    /// Bytes that version and level M hold (ISO/IEC 18004, table 7).
    @Test(arguments: [(14, 21), (15, 25), (26, 25), (27, 29), (2331, 177)])
    func isAsSmallAsItCanBe(bytes: Int, width: Int) throws {
        let code = try QRCode(String(repeating: "x", count: bytes))
        #expect(code.width == width && code.modules.count == width * width)
        // The three corners by which it is found.
        let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        let rows = rows(code)
        #expect(rows.prefix(7).map { String($0.prefix(7)) } == finder)
        #expect(rows.prefix(7).map { String($0.suffix(7)) } == finder)
        #expect(rows.suffix(7).map { String($0.prefix(7)) } == finder)
    }

    @Test
    func refusesWhatItCannotHold() {
        #expect(throws: QRCodeError.tooLong) { try QRCode(String(repeating: "x", count: 2332)) }
        #expect(throws: QRCodeError.unsuitable) { try QRCode("") }
        #expect(throws: QRCodeError.unsuitable) { try QRCode("a\0b") }
    }

    /// The path draws each dark module once, within the quiet zone.
    @Test
    func drawsWhatItSays() throws {
        let code = try QRCode("mailto:funds@example.com?subject=%5BFund1%5D%20")
        #expect(code.side == code.width + 8)
        var drawn: Set<[Int]> = []
        for run in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row) = (Int(run.1) ?? 0, Int(run.2) ?? 0)
            #expect(run.3 == run.4)
            for offset in 0..<(Int(run.3) ?? 0) { drawn.insert([row - 4, column + offset - 4]) }
        }
        let dark = code.modules.indices.filter { code.modules[$0] }.map { [$0 / code.width, $0 % code.width] }
        #expect(drawn == Set(dark))
    }
}
