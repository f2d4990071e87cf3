/// Big5 as browsers read it (WHATWG Encoding §12.1): the rows of Taiwan, and the supplement of Hong Kong. glibc has the
/// two apart, and its converter for Hong Kong reads some symbols of the first rows otherwise, or not at all.
enum Big5 {
    static let converter = "BIG5-HKSCS"
    private static let leads: ClosedRange<UInt8> = 0x81...0xFE

    /// Splits bytes into runs for the converter, and characters that it lacks.
    static func split(_ bytes: [UInt8], _ convert: ([UInt8]) -> Void, _ take: (Unicode.Scalar) -> Void) {
        var (runStart, index) = (0, 0)
        while index < bytes.count {
            guard leads.contains(bytes[index]), index + 1 < bytes.count else {
                index += 1
                continue
            }
            if let scalar = symbols[UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])] {
                if runStart < index { convert(Array(bytes[runStart..<index])) }
                take(scalar)
                runStart = index + 2
            }
            // A byte that is no second one may be a character of its own.
            index += bytes[index + 1] >= 0x40 ? 2 : 1
        }
        if runStart == 0 { convert(bytes) } else if runStart < bytes.count { convert(Array(bytes[runStart...])) }
    }

    /// Codes of the index of the WHATWG in which glibc 2.36 differs.
    private static let symbols: [UInt16: Unicode.Scalar] = [
        0xA145: "\u{2027}", 0xA14E: "\u{FE51}", 0xA15A: "\u{2574}", 0xA1C2: "\u{00AF}", 0xA1C3: "\u{FFE3}",
        0xA1C5: "\u{02CD}", 0xA1E3: "\u{FF5E}", 0xA1F2: "\u{2295}", 0xA1F3: "\u{2299}", 0xA1FE: "\u{FF0F}",
        0xA240: "\u{FF3C}", 0xA241: "\u{2215}", 0xA242: "\u{FE68}", 0xA244: "\u{FFE5}", 0xA246: "\u{FFE0}",
        0xA247: "\u{FFE1}", 0xA2CC: "\u{5341}", 0xA2CE: "\u{5345}", 0xA3E1: "\u{20AC}",
    ]
}
