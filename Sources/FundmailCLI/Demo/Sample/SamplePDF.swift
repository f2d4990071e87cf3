/// A PDF with pages of A4 (ISO 32000-1): text in the fonts that every reader has (§9.6.2.2), and filled rectangles.
struct SamplePDF {
    /// A colour of a page: red, green and blue, 0...1.
    struct Colour {
        var red, green, blue: Double

        static let ink = Colour(red: 0.13, green: 0.15, blue: 0.18)
        static let grey = Colour(red: 0.45, green: 0.48, blue: 0.52)
        static let blue = Colour(red: 0.09, green: 0.31, blue: 0.48)
        static let pale = Colour(red: 0.91, green: 0.94, blue: 0.96)

        fileprivate var operands: String { "\(red) \(green) \(blue) rg" }
    }

    /// In points, as all measures.
    static let width = 595.0
    static let height = 842.0

    /// Operators of the pages (§8, §9), in their order.
    private var pages: [String] = []

    mutating func addPage() { pages.append("") }

    /// Writes one line on the last page.
    /// - Parameter y: from the lower edge to the base of the letters.
    mutating func write(
        _ text: String, x: Double, y: Double, size: Double = 10, isBold: Bool = false, _ colour: Colour = .ink
    ) {
        let literal = text.unicodeScalars.map(Self.escaped).joined()
        append("BT \(colour.operands) /\(isBold ? "B" : "R") \(size) Tf \(x) \(y) Td (\(literal)) Tj ET")
    }

    /// Fills a rectangle of the last page, whose lower left corner is given.
    mutating func fill(x: Double, y: Double, width: Double, height: Double, _ colour: Colour) {
        append("\(colour.operands) \(x) \(y) \(width) \(height) re f")
    }

    private mutating func append(_ line: String) {
        if pages.isEmpty { addPage() }
        pages[pages.count - 1] += line + "\n"
    }

    /// A character of a literal string (§7.3.4.2) in WinAnsiEncoding, which is Latin-1 where letters are concerned.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "(", ")", "\\": "\\\(scalar)"
        case " "..."~": String(scalar)
        case "\u{A0}"..."\u{FF}": "\\" + String(scalar.value, radix: 8)
        default: "?"
        }
    }

    /// The whole file.
    var bytes: [UInt8] {
        let first = 5
        let kids = pages.indices.map { "\(first + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>",
            Self.font("Helvetica"), Self.font("Helvetica-Bold"),
        ]
        for (index, content) in pages.enumerated() {
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(Int(Self.width)) \(Int(Self.height))] /Contents "
                    + "\(first + 2 * index + 1) 0 R /Resources << /Font << /R 3 0 R /B 4 0 R >> >> >>")
            objects.append("<< /Length \(content.utf8.count) >>\nstream\n\(content)endstream")
        }
        var (text, table) = ("%PDF-1.4\n", "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n")
        for (index, object) in objects.enumerated() {
            let place = String(text.utf8.count)
            // An entry of the table has 20 bytes (§7.5.4).
            table += String(repeating: "0", count: 10 - place.utf8.count) + place + " 00000 n \n"
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text += table + "trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Array(text.utf8)
    }

    private static func font(_ name: String) -> String {
        "<< /Type /Font /Subtype /Type1 /BaseFont /\(name) /Encoding /WinAnsiEncoding >>"
    }
}
