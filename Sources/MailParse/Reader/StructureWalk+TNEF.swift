import FundCore

/// Unpacks `winmail.dat`, which is filed itself, beside what it holds, only when not all of it could be read.
extension StructureWalk {
    /// Larger streams are filed as they are: they are read in memory.
    private static let maxTNEFBytes = 32 << 20

    static func isTNEF(_ fields: PartFields) -> Bool {
        switch fields.contentType {
        case "application/ms-tnef", "application/vnd.ms-tnef": true
        default: fields.name?.lowercased() == "winmail.dat"
        }
    }

    /// False: the part is to be filed as it is.
    mutating func takeTNEF(_ leaf: Leaf) throws(ReadError) -> Bool {
        var bytes: [UInt8] = []
        var isWhole = true
        let found = try decode(leaf) { chunk in
            isWhole = isWhole && bytes.count + chunk.count <= Self.maxTNEFBytes
            if isWhole { bytes.append(contentsOf: chunk) }
        }
        defects.formUnion(found)
        var reader = TNEFReader(bytes, 0..<bytes.count, charsets: charsets)
        guard isWhole, let content = reader.read() else {
            defects.insert(.malformedTNEF)
            return false
        }
        try takeBody(content.body, bytes, leaf)
        try pack(content, bytes, leaf, path: leaf.path, depth: leaf.item.depth + 1)
        if !content.isWhole { defects.insert(.malformedTNEF) }
        return content.isWhole
    }

    private mutating func pack(
        _ content: TNEFReader.Content, _ bytes: [UInt8], _ leaf: Leaf, path: String, depth: Int
    ) throws(ReadError) {
        guard depth <= limits.maxDepth else { throw .tooComplex("nested deeper than \(limits.maxDepth)") }
        for (index, attachment) in content.attachments.enumerated() {
            try countPart()
            let path = Self.path(path, index + 1)
            if attachment.isMessage {
                var reader = TNEFReader(bytes, attachment.range, charsets: charsets)
                if let nested = reader.read() {
                    try packBody(nested.body, bytes, name: attachment.name, path: path)
                    try pack(nested, bytes, leaf, path: path, depth: depth + 1)
                    if nested.isWhole { continue }
                }
                defects.insert(.malformedTNEF)
            }
            let type = attachment.mimeType?.lowercased() ?? ""
            try add(
                bytes[attachment.range], name: attachment.name,
                type: Wire.isContentType(type) ? type : "application/octet-stream", path: path,
                contentID: attachment.contentID, scope: leaf.item.scope)
        }
    }

    /// A message that has no other body gets this one; RTF, which Fundmail does not show, becomes a file.
    private mutating func takeBody(_ body: TNEFReader.Body, _ bytes: [UInt8], _ leaf: Leaf) throws(ReadError) {
        let scope = leaf.item.scope
        let hadNone = scopes[scope].text == nil && scopes[scope].html == nil
        if scopes[scope].text == nil, let text = body.text, text.utf8.contains(where: { $0 > .space }) {
            scopes[scope].text = Self.bodyText(text)
            if text.utf8.count > Wire.maxBodyBytes {
                try packCut(Array(text.utf8)[...], name: "message.txt", type: "text/plain", leaf)
            }
        }
        if scopes[scope].html == nil, let html = body.html {
            let decoded = charsets.decodeHTML(Array(bytes[html.bytes]), charset: html.charset)
            scopes[scope].html = Self.bodyText(decoded.text)
            if decoded.text.utf8.count > Wire.maxBodyBytes {
                try packCut(bytes[html.bytes], name: "message.html", type: "text/html", leaf)
            }
        }
        guard hadNone, body.text == nil, body.html == nil, let rtf = body.rtf else { return }
        guard let unpacked = CompressedRTF.unpack(ByteCursor(bytes, rtf)) else { return defects.insert(.malformedTNEF) }
        try countPart()
        try add(unpacked[...], name: "message.rtf", type: "application/rtf", path: leaf.path)
    }

    /// A body that is too long to be kept for display is a file, too, whole.
    private mutating func packCut(
        _ bytes: ArraySlice<UInt8>, name: String, type: String, _ leaf: Leaf
    ) throws(ReadError) {
        defects.insert(.bodyTruncated)
        try countPart()
        try add(bytes, name: name, type: type, path: leaf.path)
    }

    /// The body of a message inside, as a file.
    private mutating func packBody(
        _ body: TNEFReader.Body, _ bytes: [UInt8], name: String?, path: String
    ) throws(ReadError) {
        let stem = name ?? "message"
        if let html = body.html {
            try add(bytes[html.bytes], name: stem + ".html", type: "text/html", path: path)
        } else if let text = body.text {
            try add(Array(text.utf8)[...], name: stem + ".txt", type: "text/plain", path: path)
        } else if let rtf = body.rtf, let unpacked = CompressedRTF.unpack(ByteCursor(bytes, rtf)) {
            try add(unpacked[...], name: stem + ".rtf", type: "application/rtf", path: path)
        }
    }

    mutating func add(
        _ bytes: ArraySlice<UInt8>, name: String?, type: String, path: String, contentID: String? = nil,
        scope: Int? = nil
    ) throws(ReadError) {
        let begin = pack.position
        try bytes.withBytes(pack.append)
        add(
            PackedAttachment(
                sentName: name.flatMap { $0.isEmpty ? nil : $0.prefix(bytes: Wire.maxNameBytes) },
                contentType: type, offset: begin, count: Int64(bytes.count),
                contentID: contentID?.prefix(bytes: Wire.maxContentIDBytes), partPath: path), scope: scope)
    }
}
