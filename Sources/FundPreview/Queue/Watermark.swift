import FundCore

/// A text of one or two lines that is drawn over a whole picture, in rows that slant: a photograph of a part of it has
/// the text, too.
struct Watermark {
    /// Characters of a line that are drawn, and lines.
    private static let (maxLength, maxLines) = (80, 2)
    /// Height of the letters, and distance of the rows, as parts of the longer side of the picture.
    private static let (letters, rows) = (0.018, 0.1)

    let text: String

    /// The drawing as SVG, of the size of the picture in pixels. Dark letters with a light edge can be read on any
    /// ground.
    func drawing(width: Int, height: Int) -> [UInt8] {
        let lines = text.split(separator: "\n", maxSplits: Self.maxLines - 1, omittingEmptySubsequences: false)
            .map { String($0.unicodeScalars.prefix(Self.maxLength)) }
        let side = Double(max(width, height))
        let size = max(side * Self.letters, 10)
        // Letters of most fonts are less wide than high; those of Chinese as wide.
        let lengths = lines.map { line in line.unicodeScalars.reduce(0.0) { $0 + ($1.isASCII ? 0.64 : 1.1) } * size }
        let (across, down) = (Int((lengths.max() ?? 0) + 3 * size), Int(side * Self.rows))
        let style = """
            font-family="DejaVu Sans, Noto Sans, Noto Sans CJK SC, sans-serif" \
            font-size="\(Int(size))" fill="#606060" fill-opacity="0.5" stroke="#ffffff" stroke-opacity="0.4" \
            stroke-width="\(max(Int(size) / 24, 1))" paint-order="stroke"
            """
        let texts = lines.enumerated().map { index, line in
            let y = down / 2 + Int(Double(index) * size * 1.25)
            return "<text x=\"\(Int(size))\" y=\"\(y)\" \(style)>\(Self.escaped(line))</text>"
        }
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)"><defs><pattern id="p" \
            width="\(across)" height="\(down)" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(-24)">\(texts.joined())</pattern>\
            </defs><rect width="\(width)" height="\(height)" fill="url(#p)"/></svg>
            """
        return Array(svg.utf8)
    }

    /// The text within an element of XML 1.0; what XML cannot hold is left out.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"...: escaped.unicodeScalars.append(scalar)
            default: break
            }
        }
    }
}
