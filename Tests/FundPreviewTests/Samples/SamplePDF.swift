/// PDF written by hand (ISO 32000-1).
enum SamplePDF {
    /// A page for each text, A4, with a grey field above it.
    static func pages(_ texts: [String]) -> [UInt8] {
        let kids = texts.indices.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count \(texts.count) /Kids [\(kids)] >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
        for (index, text) in texts.enumerated() {
            let content = "0.5 g 60 700 200 80 re f 0 g BT /F1 24 Tf 60 640 Td (\(text)) Tj ET"
            objects.append(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(5 + 2 * index) 0 R"
                    + " /Resources << /Font << /F1 3 0 R >> >> >>")
            objects.append(stream(content))
        }
        return file(objects)
    }

    /// One page that has nothing but the pattern.
    static func pattern() -> [UInt8] {
        let block = 60
        return file([
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 \(block * BlockPattern.columns) \(block * BlockPattern.rows)]"
                + " /Contents 4 0 R >>",
            stream(BlockPattern.pdfContent(blockPoints: block)),
        ])
    }

    /// Needs a password: no key that an empty one gives fits these.
    static func encrypted() -> [UInt8] {
        let key = String(repeating: "42", count: 32)
        return file(
            [
                "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
                "<< /Filter /Standard /V 1 /R 2 /O <\(key)> /U <\(key)> /P -4 >>",
            ], trailer: "/Encrypt 4 0 R /ID [<\(key)> <\(key)>]")
    }

    /// Forms that draw the one below twelve times: 12⁹ rectangles in some KB.
    static func bomb() -> [UInt8] {
        let depth = 9
        func form(_ content: String, _ below: Int?) -> String {
            let resources = below.map { "/Resources << /XObject << /X \($0) 0 R >> >>" } ?? ""
            return stream(content, "/Type /XObject /Subtype /Form /BBox [0 0 595 842] \(resources)")
        }
        let draw = Array(repeating: "q 0.99 0 0 0.99 1 1 cm /X Do Q", count: 12).joined(separator: "\n")
        var objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
                + " /Resources << /XObject << /X 5 0 R >> >> >>",
            stream(draw),
        ]
        for level in 0..<depth {
            objects.append(form(level == depth - 1 ? "0 0 9 9 re f" : draw, level == depth - 1 ? nil : 6 + level))
        }
        return file(objects)
    }

    private static func stream(_ content: String, _ entries: String = "") -> String {
        "<< \(entries) /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream"
    }

    private static func file(_ objects: [String], trailer: String = "") -> [UInt8] {
        var bytes = Array("%PDF-1.4\n".utf8)
        var places: [Int] = []
        for (index, object) in objects.enumerated() {
            places.append(bytes.count)
            bytes += Array("\(index + 1) 0 obj\n\(object)\nendobj\n".utf8)
        }
        let table = bytes.count
        bytes += Array("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
        for place in places {
            let digits = String(place)
            bytes += Array("\(String(repeating: "0", count: 10 - digits.count))\(digits) 00000 n \n".utf8)
        }
        bytes += Array(
            "trailer << /Size \(objects.count + 1) /Root 1 0 R \(trailer) >>\nstartxref\n\(table)\n%%EOF\n".utf8)
        return bytes
    }
}
