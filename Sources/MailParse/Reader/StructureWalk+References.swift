import FundCore

/// Parts that only say where a file is (RFC 2046 §5.2.3, and those that Thunderbird detached). Nothing is fetched: the
/// address is kept as a text file.
extension StructureWalk {
    /// Limit of a header and a note. What is longer is filed as it came.
    private static let maxReferenceBytes = 64 << 10

    /// Takes a reference as a text file; false for a part that is to be filed as it is.
    mutating func takeReference(_ leaf: Leaf) throws(ReadError) -> Bool {
        var content: [UInt8] = []
        var isWhole = true
        let found = try decode(leaf) { chunk in
            isWhole = isWhole && content.count + chunk.count <= Self.maxReferenceBytes
            if isWhole { content.append(contentsOf: chunk) }
        }
        guard isWhole else { return false }
        defects.formUnion(found)
        let reference = ExternalReference(leaf.fields, content: content, charsets: charsets)
        try add(
            Array(reference.text.utf8)[...], name: reference.name + ".txt", type: "text/plain", path: leaf.path)
        return true
    }
}

/// A file that is elsewhere, as a mail names it.
struct ExternalReference {
    /// The name of the file.
    let name: String
    /// The address in the first line, then what else the mail says of the file.
    let text: String

    /// - Parameter content: of `message/external-body` the header of the file (RFC 2046 §5.2.3); else a note.
    init(_ fields: PartFields, content: [UInt8], charsets: CharsetDecoder) {
        let isExternalBody = fields.contentType == "message/external-body"
        let parameters = fields.typeParameters
        let address = Self.oneLine(
            isExternalBody ? Self.address(parameters) ?? fields.externalAddress : fields.externalAddress)
        var lines = [address ?? "", ""]
        var name = isExternalBody ? nil : fields.name
        if isExternalBody {
            for (key, value) in parameters.sorted(by: { $0.key < $1.key }) where key != "url" {
                lines.append("\(key): \(Self.oneLine(value) ?? "")")
            }
            name = Self.fileName(content, charsets) ?? fields.name
        }
        lines.append(charsets.decode(content, charset: parameters["charset"]).text)
        self.name = name ?? Self.lastComponent(address) ?? "external"
        text = lines.joined(separator: "\n")
    }

    /// The address of `message/external-body`: RFC 2017 §3 for URLs, RFC 2046 §5.2.3 for the others.
    private static func address(_ parameters: [String: String]) -> String? {
        let site = parameters["site"] ?? ""
        let path = [parameters["directory"], parameters["name"]].compactMap(\.self).joined(separator: "/")
        switch parameters["access-type"]?.lowercased() {
        case "ftp", "anon-ftp": return "ftp://\(site)/\(path)"
        case "tftp": return "tftp://\(site)/\(path)"
        case "mail-server": return parameters["server"].map { "mailto:\($0)" }
        case "local-file", "afs": return parameters["name"]
        default:
            // White space was put in for line breaks, and is no part of it.
            return parameters["url"].map { url in
                String(String.UnicodeScalarView(url.unicodeScalars.filter { !$0.properties.isWhitespace }))
            }
        }
    }

    /// The name in the header that stands in the body of `message/external-body`.
    private static func fileName(_ content: [UInt8], _ charsets: CharsetDecoder) -> String? {
        var block = HeaderBlock()
        for line in content.split(separator: .lf, omittingEmptySubsequences: false) {
            let end = line.lastIndex { $0 != .cr } ?? line.startIndex - 1
            if end < line.startIndex { break }
            line[...end].withBytes { block.append($0) }
        }
        block.finish()
        func parameter(_ name: String, of field: String) -> String? {
            let value = block.fields.last { $0.name == field }?.value
            let found = value.flatMap { MIMEField($0, charsets: charsets).parameters[name] }
            return found?.isEmpty == false ? found : nil
        }
        return parameter("filename", of: "content-disposition") ?? parameter("name", of: "content-type")
    }

    private static func lastComponent(_ address: String?) -> String? {
        let path = address?.prefix { $0 != "?" && $0 != "#" }
        guard let last = path?.split(separator: "/").last, last.count < path?.count ?? 0 else { return nil }
        return String(decoding: PercentCoding.decodedLeniently(Array(last.utf8)[...]), as: UTF8.self)
    }

    private static func oneLine(_ text: String?) -> String? {
        text.map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        }
    }
}
