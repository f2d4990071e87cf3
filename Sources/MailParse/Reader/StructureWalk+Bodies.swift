import FundCore

/// The choice of the text and the HTML body, and what is unpacked from them.
extension StructureWalk {
    /// Of a body more is decoded than is kept: UTF-32 takes four bytes for a character.
    private static let heldBytes = 4 * Wire.maxBodyBytes

    /// Takes a leaf as body when it can be one and its place is free: the first `text/plain` and the first `text/html`
    /// that do not ask to be files. A text without a visible character is dropped, so that the one behind it can be the
    /// body (Apple Mail puts an empty text before each attachment). False: the leaf is a file.
    mutating func takeBody(_ leaf: Leaf) throws(ReadError) -> Bool {
        let type = leaf.fields.contentType
        guard type == "text/plain" || type == "text/html", !leaf.fields.isAttachment else { return false }
        // At the top a guess is good enough to show; in a nested message the part is filed instead.
        if leaf.fields.hasUnknownType, leaf.item.scope > 0 { return false }
        // A name on the type alone: some programs give one to the body, so it counts only further down.
        if leaf.fields.name != nil, scopes[leaf.item.scope].leaves > 1 { return false }
        let isHTML = type == "text/html"
        let isFree = isHTML ? scopes[leaf.item.scope].html == nil : scopes[leaf.item.scope].text == nil
        guard isFree else { return try isBlank(leaf) }

        let body = try readText(leaf, unpacks: !isHTML)
        let decoded = charsets.decode(body.bytes, charset: leaf.fields.typeParameters["charset"])
        if !body.isWhole || decoded.text.utf8.count > Wire.maxBodyBytes {
            defects.insert(.bodyTruncated)
            let begin = pack.position
            _ = try decode(leaf.item.tree.source, leaf.content, leaf.fields.encoding)
            add(leaf.fields, leaf.item, from: begin, contentType: type)
        }
        let text = Self.bodyText(decoded.text)
        guard text.utf8.contains(where: { $0 > .space }) else { return true }
        defects.formUnion(decoded.defects)
        if isHTML { scopes[leaf.item.scope].html = text } else { scopes[leaf.item.scope].text = text }
        return true
    }

    /// As bodies are kept: lines end with LF, and the end is cut off where it is too long.
    static func bodyText(_ text: String) -> String { lineEndsAsLF(text).prefix(bytes: Wire.maxBodyBytes) }

    private struct Body {
        var bytes: [UInt8] = []
        var isWhole = true

        mutating func append(_ part: some Collection<UInt8>) {
            let room = StructureWalk.heldBytes - bytes.count
            if part.count > room { isWhole = false }
            bytes.append(contentsOf: part.prefix(room))
        }
    }

    /// Decodes a text part, and packs the uuencoded files that stand in it.
    private mutating func readText(_ leaf: Leaf, unpacks: Bool) throws(ReadError) -> Body {
        var body = Body()
        let decoder = BodyDecoder(source: leaf.item.tree.source)
        guard unpacks, !Self.isWide(leaf.fields.typeParameters["charset"]) else {
            defects.formUnion(
                try decoder.decode(leaf.content, leaf.fields.encoding) { (chunk) throws(ReadError) in
                    body.append(chunk)
                })
            return body
        }
        var scanner = EmbeddedFileScanner()
        var files = EmbeddedFiles(path: leaf.path)
        func handle(_ event: EmbeddedFileScanner.Event) throws(ReadError) {
            if case .text(let text) = event { body.append(text) }
            try take(event, &files)
        }
        let found = try decoder.decode(leaf.content, leaf.fields.encoding) { (chunk) throws(ReadError) in
            try scanner.feed(chunk, handle)
        }
        try scanner.finish(handle)
        defects.formUnion(found)
        attachments += try attachments(in: files)
        return body
    }

    /// Packs the uuencoded files in a text part that is no body and does not ask to be a file; the part itself is
    /// filed as it came, unless nothing visible stands around them.
    mutating func unpackText(_ leaf: Leaf) throws(ReadError) -> (files: [PackedAttachment], hasText: Bool) {
        guard leaf.fields.contentType == "text/plain", !leaf.fields.isAttachment,
            leaf.fields.encoding != .uuencode, !Self.isWide(leaf.fields.typeParameters["charset"])
        else { return ([], true) }
        var scanner = EmbeddedFileScanner()
        var files = EmbeddedFiles(path: leaf.path)
        var hasText = false
        func handle(_ event: EmbeddedFileScanner.Event) throws(ReadError) {
            if case .text(let text) = event { hasText = hasText || text.contains { $0 > .space } }
            try take(event, &files)
        }
        _ = try BodyDecoder(source: leaf.item.tree.source).decode(leaf.content, leaf.fields.encoding) {
            (chunk) throws(ReadError) in try scanner.feed(chunk, handle)
        }
        try scanner.finish(handle)
        return (try attachments(in: files), hasText)
    }

    /// Packs what belongs to a file in a text.
    private func take(_ event: EmbeddedFileScanner.Event, _ files: inout EmbeddedFiles) throws(ReadError) {
        switch event {
        case .text: break
        case .begin(let name): files.begin(name, at: pack.position)
        case .data(let bytes): try bytes.give { (chunk) throws(ReadError) in try pack.append(chunk) }
        case .end(let found): files.end(found, at: pack.position)
        }
    }

    private mutating func attachments(in files: EmbeddedFiles) throws(ReadError) -> [PackedAttachment] {
        defects.formUnion(files.defects)
        let found = files.attachments(charsets)
        for _ in found { try countPart() }
        return found
    }

    /// Whether a second body, which would be filed, holds no visible character; it is left out then.
    private func isBlank(_ leaf: Leaf) throws(ReadError) -> Bool {
        guard leaf.content.count < 4096, leaf.fields.name == nil else { return false }
        var isBlank = true
        _ = try BodyDecoder(source: leaf.item.tree.source).decode(leaf.content, leaf.fields.encoding) {
            (chunk) throws(ReadError) in
            if chunk.contains(where: { $0 > .space }) { isBlank = false }
        }
        return isBlank
    }

    /// Charsets in which a line of ASCII is no line of ASCII.
    private static func isWide(_ charset: String?) -> Bool {
        guard let charset = charset?.lowercased() else { return false }
        return charset.hasPrefix("utf-16") || charset.hasPrefix("utf-32") || charset.hasPrefix("ucs")
    }

    private static func lineEndsAsLF(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            guard let first = bytes.firstIndex(of: .cr) else { return nil }
            return String(unsafeUninitializedCapacity: bytes.count) { output in
                var count = 0
                for (index, byte) in bytes.enumerated() {
                    if byte == .cr, index >= first {
                        if index + 1 < bytes.count, bytes[index + 1] == .lf { continue }
                        output[count] = .lf
                    } else {
                        output[count] = byte
                    }
                    count += 1
                }
                return count
            }
        } ?? text
    }
}

/// Files that were found in a text body: they count on below its path.
struct EmbeddedFiles {
    let path: String
    private(set) var defects: Set<Defect> = []
    private var found: [(name: [UInt8], range: Range<Int64>)] = []
    private var open: (name: [UInt8], start: Int64)?

    init(path: String) { self.path = path }

    mutating func begin(_ name: [UInt8], at position: Int64) { open = (name, position) }

    mutating func end(_ defects: Set<Defect>, at position: Int64) {
        self.defects.formUnion(defects)
        guard let open else { return }
        found.append((open.name, open.start..<position))
        self.open = nil
    }

    func attachments(_ charsets: CharsetDecoder) -> [PackedAttachment] {
        found.enumerated().map { index, file in
            let name = charsets.decode(file.name, charset: nil).text.prefix(bytes: Wire.maxNameBytes)
            return PackedAttachment(
                sentName: name.isEmpty ? nil : name, contentType: "application/octet-stream",
                offset: file.range.lowerBound, count: file.range.upperBound - file.range.lowerBound,
                partPath: StructureWalk.path(path, index + 1))
        }
    }
}
