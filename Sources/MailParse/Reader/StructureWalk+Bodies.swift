import FundCore

/// The choice of the text and the HTML body, and what is unpacked from them.
extension StructureWalk {
    /// Decoded bytes of a body, more than are kept: UTF-32 takes four bytes for a character.
    private static let heldBytes = 4 * Wire.maxBodyBytes

    /// Takes a leaf as body when it can be one and its place is free: the first `text/plain` and the first `text/html`
    /// that do not ask to be files; one of several forms of a text, and the root of related parts, also with a file
    /// name. A text without a visible character is dropped, so that the one behind it can be the body (Apple Mail puts
    /// an empty text before each attachment). False: the leaf is a file.
    mutating func takeBody(_ leaf: Leaf) throws(ReadError) -> Bool {
        guard leaf.isText else { return false }
        if case .dataFork = leaf.item.role { return false }
        let isBody = leaf.item.role.isBody && leaf.fields.disposition != "attachment"
        // At the top a guess is good enough to show; in a nested message the part is filed instead.
        if leaf.fields.hasUnknownType, leaf.item.scope > 0 { return false }
        // A name on the type alone: some programs give one to the body, so it counts only further down.
        let isNamed = leaf.fields.isAttachment || leaf.fields.name != nil && scopes[leaf.item.scope].leaves > 1
        if isNamed, !isBody {
            // Two are enough to know that there is not one.
            if leaf.item.scope == 0, leaf.isNamedText, scopes[0].namedTexts.count < 2 {
                scopes[0].namedTexts.append(leaf)
            }
            return false
        }
        let isHTML = leaf.fields.contentType == "text/html"
        let isFree = isHTML ? scopes[leaf.item.scope].html == nil : scopes[leaf.item.scope].text == nil
        guard isFree else { return leaf.isReaction ? true : try isBlank(leaf) }
        try keepBody(leaf, isFiled: false)
        return true
    }

    /// Makes the only text that has a file name the body of a message that has no other. It stays a file, too.
    mutating func takeNamedText() throws(ReadError) {
        guard let scope = scopes.first, scope.text == nil, scope.html == nil, scope.namedTexts.count == 1,
            let leaf = scope.namedTexts.first
        else { return }
        try keepBody(leaf, isFiled: true)
    }

    private mutating func keepBody(_ leaf: Leaf, isFiled: Bool) throws(ReadError) {
        let (type, parameters) = (leaf.fields.contentType, leaf.fields.typeParameters)
        let isHTML = type == "text/html"
        let body = try readText(leaf, unpacks: !isHTML && !isFiled)
        let decoded =
            isHTML
            ? charsets.decodeHTML(body.bytes, charset: parameters["charset"])
            : charsets.decode(body.bytes, charset: parameters["charset"])
        if !body.isWhole || decoded.text.utf8.count > Wire.maxBodyBytes {
            defects.insert(.bodyTruncated)
            if !isFiled {
                let begin = pack.position
                _ = try decode(leaf, pack.append)
                add(leaf.fields, leaf.item, from: begin, contentType: type)
            }
        }
        var text = Self.lineEndsAsLF(decoded.text)
        if !isHTML, let flow = FlowedText(parameters) { text = flow.joined(text) }
        text = text.prefix(bytes: Wire.maxBodyBytes)
        guard text.utf8.contains(where: { $0 > .space }) else { return }
        defects.formUnion(decoded.defects)
        if isHTML { scopes[leaf.item.scope].html = text } else { scopes[leaf.item.scope].text = text }
    }

    /// Returns a text as bodies are kept: lines end with LF, and the end is cut off where it is too long.
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
        if unpacks, !Self.isWide(leaf.fields.typeParameters["charset"]) {
            let (files, found) = try split(leaf) { body.append($0) }
            defects.formUnion(found)
            attachments += files
        } else {
            defects.formUnion(try decode(leaf) { body.append($0) })
        }
        return body
    }

    /// Packs the uuencoded files of a text that is neither body nor file; it is filed, too, if it shows anything else.
    mutating func unpackText(_ leaf: Leaf) throws(ReadError) -> (files: [PackedAttachment], hasText: Bool) {
        guard leaf.fields.contentType == "text/plain", !leaf.fields.isAttachment,
            leaf.fields.encoding != .uuencode, !Self.isWide(leaf.fields.typeParameters["charset"])
        else { return ([], true) }
        var hasText = false
        let files = try split(leaf) { text in hasText = hasText || text.contains { $0 > .space } }.files
        return (files, hasText)
    }

    /// Decodes a text part, packs its uuencoded files, and gives the rest to `takeText`; the defects of its encoding.
    private mutating func split(
        _ leaf: Leaf, _ takeText: ([UInt8]) -> Void
    ) throws(ReadError) -> (files: [PackedAttachment], defects: Set<Defect>) {
        var scanner = EmbeddedFileScanner()
        var (files, fileDefects): ([PackedAttachment], Set<Defect>) = ([], [])
        var open: (name: [UInt8], start: Int64)?
        func handle(_ event: EmbeddedFileScanner.Event) throws(ReadError) {
            switch event {
            case .text(let text): takeText(text)
            case .begin(let name): open = (name, pack.position)
            case .data(let bytes): try bytes[...].withBytes(pack.append)
            case .end(let found):
                fileDefects.formUnion(found)
                guard let (name, start) = open.take() else { return }
                let sentName = charsets.decode(name, charset: nil).text.prefix(bytes: Wire.maxNameBytes)
                files.append(
                    PackedAttachment(
                        sentName: sentName.isEmpty ? nil : sentName, contentType: "application/octet-stream",
                        offset: start, count: pack.position - start, partPath: Self.path(leaf.path, files.count + 1)))
            }
        }
        let found = try decode(leaf) { (chunk) throws(ReadError) in try scanner.feed(chunk, handle) }
        try scanner.finish(handle)
        defects.formUnion(fileDefects)
        for _ in files { try countPart() }
        return (files, found)
    }

    /// Whether a second body, which would be filed, holds no visible character; it is left out then.
    private func isBlank(_ leaf: Leaf) throws(ReadError) -> Bool {
        guard leaf.content.count < 4096, leaf.fields.name == nil else { return false }
        var isBlank = true
        _ = try decode(leaf) { chunk in if chunk.contains(where: { $0 > .space }) { isBlank = false } }
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

/// The Content-IDs that an HTML text shows (RFC 2392 `cid:` URLs).
enum InlineImages {
    private static let ends: [UInt8] = [.quote, .apostrophe, .lessThan, .greaterThan, .closeParenthesis]

    /// Percent-decoded, as they stand between `cid:` and what ends a URL in HTML or CSS.
    static func references(in html: String) -> Set<String> {
        var html = html
        return html.withUTF8 { text in
            var found: Set<String> = []
            var index = 0
            while index + 4 < text.count {
                // Looks for the colon, of which there are few.
                guard let colon = text[(index + 3)...].firstIndex(of: .colon) else { break }
                index = colon
                guard ASCII.lowercased(text[(colon - 3)..<colon]) == "cid" else { continue }
                let url = text[(colon + 1)...].prefix { $0 > .space && !ends.contains($0) }
                // On behind the URL: one that is `cid:cid:cid:…` is read once, not once for each.
                index = max(colon, url.endIndex - 3)
                guard !url.isEmpty, url.count <= Wire.maxContentIDBytes else { continue }
                found.insert(String(decoding: PercentCoding.decodedLeniently(Array(url)[...]), as: UTF8.self))
            }
            return found
        }
    }
}
