/// Zip files without compression (APPNOTE.TXT of PKWARE), and office documents in them.
enum SampleZip {
    static func of(_ files: [(name: String, content: String)], isEncrypted: Bool = false) -> [UInt8] {
        of(bytes: files.map { ($0.name, Array($0.content.utf8)) }, isEncrypted: isEncrypted)
    }

    static func of(bytes files: [(name: String, content: [UInt8])], isEncrypted: Bool = false) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            let (name, content) = (Array(file.name.utf8), file.content)
            let start = bytes.count
            let common =
                little16(10) + little16(isEncrypted ? 1 : 0) + little16(0) + little32(0)
                + little32(Int(checksum(content)))
                + little32(content.count) + little32(content.count) + little16(name.count) + little16(0)
            bytes += [0x50, 0x4B, 3, 4] + common + name + content
            directory += [0x50, 0x4B, 1, 2] + little16(20) + common + little16(0) + little16(0) + little16(0)
            directory += little32(0) + little32(start) + name
        }
        let end =
            [0x50, 0x4B, 5, 6] + little32(0) + little16(files.count) + little16(files.count) + little32(directory.count)
            + little32(bytes.count) + little16(0)
        return bytes + directory + end
    }

    /// - Parameter before: between the XML declaration and the document, such as a document type.
    static func docx(_ paragraphs: [String], before: String = "") -> [UInt8] {
        let body = paragraphs.map { "<w:p><w:r><w:t>\($0)</w:t></w:r></w:p>" }.joined()
        return of([
            ("[Content_Types].xml", types("/word/document.xml", "wordprocessingml.document.main")),
            ("_rels/.rels", relation("word/document.xml")),
            (
                "word/document.xml",
                "<?xml version=\"1.0\"?>\(before)<w:document"
                    + " xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">"
                    + "<w:body>\(body)</w:body></w:document>"
            ),
        ])
    }

    /// - Parameter manifest: more than the entry of the content.
    static func odt(_ body: String, manifest: String = "") -> [UInt8] {
        let names =
            "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\""
            + " xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\""
            + " xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\""
            + " xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\""
            + " xmlns:xlink=\"http://www.w3.org/1999/xlink\" office:version=\"1.2\""
        let type = "application/vnd.oasis.opendocument.text"
        return of([
            ("mimetype", type),
            (
                "content.xml",
                "<?xml version=\"1.0\"?><office:document-content \(names)><office:body>"
                    + "<office:text>\(body)</office:text></office:body></office:document-content>"
            ),
            (
                "META-INF/manifest.xml",
                "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\">"
                    + "<manifest:file-entry manifest:full-path=\"/\" manifest:media-type=\"\(type)\"/>"
                    + "<manifest:file-entry manifest:full-path=\"content.xml\" manifest:media-type=\"text/xml\">"
                    + "\(manifest)</manifest:file-entry></manifest:manifest>"
            ),
        ])
    }

    private static func types(_ part: String, _ kind: String) -> String {
        "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
            + "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
            + "<Override PartName=\"\(part)\""
            + " ContentType=\"application/vnd.openxmlformats-officedocument.\(kind)+xml\"/>"
            + "</Types>"
    }

    private static func relation(_ part: String) -> String {
        "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
            + "<Relationship Id=\"r1\" Target=\"\(part)\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/"
            + "relationships/officeDocument\"/></Relationships>"
    }

    static func little16(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
    static func little32(_ number: Int) -> [UInt8] { little16(number) + little16(number >> 16) }

    /// CRC-32
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}
