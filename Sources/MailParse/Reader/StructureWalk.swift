import CGMime
internal import Glibc
import FundCore

/// Walks over the parts of a message, nested messages included, chooses the bodies and packs the files. Iterative: what
/// is still to do stands on a list, so that depth costs no stack.
struct StructureWalk {
    /// One object to visit.
    struct Item {
        var tree: ParsedTree
        var object: UnsafeMutablePointer<GMimeObject>
        /// Path of the object; for the top of a message that of the message (empty for the outermost).
        var path: String
        var isTop: Bool
        var depth: Int
        /// The message to which it belongs, as an index of `scopes`.
        var scope: Int
        /// Boundaries of the multiparts around it, in the same tree.
        var boundaries: [[UInt8]]
        var role = PartRole.part

        /// `path`, where it has no parts.
        var leafPath: String { isTop ? StructureWalk.path(path, 1) : path }
    }

    /// One message: the outermost, or a nested one. Each has its own bodies.
    struct Scope {
        var text: String?
        var html: String?
        /// Attachments that an HTML body could show.
        var images: [Int] = []
        var leaves = 0
        /// Texts with a file name that do not ask to be files: the only one is the body where there is no other.
        var namedTexts: [Leaf] = []
    }

    /// A message that came encoded or signed, or had to be mended: its bytes stand in the pack, and are parsed like
    /// another one.
    struct Decoded {
        /// Consequence where a message cannot be parsed.
        enum Kind {
            /// The message is refused.
            case outermost
            /// It stays the file that it already is.
            case file
            /// It is a file of its own where it does not begin like a MIME entity (RFC 2045 §2.4): any bytes are
            /// signed.
            case signed
        }

        var range: Range<Int64>
        var path: String
        var depth: Int
        /// Scope of the message to which it belongs; nil for a message of its own.
        var scope: Int?
        var kind = Kind.file
        /// Empty lines were put in where they were missing.
        var isMended = false
    }

    let limits: ParseLimits
    let pack: PackWriter
    let charsets: CharsetDecoder
    var defects = DefectSet()
    var scopes: [Scope] = []
    var attachments: [PackedAttachment] = []
    /// The first report among the parts of the outermost message.
    var report: DeliveryReport?
    private var items: [Item] = []
    private var partCount = 0

    init(limits: ParseLimits, pack: PackWriter, charsets: CharsetDecoder) {
        (self.limits, self.pack, self.charsets) = (limits, pack, charsets)
    }

    /// Reads a message and all that is nested in it.
    mutating func read(_ source: RawSource, _ scanned: PrescanResult) throws(ReadError) {
        if scanned.missingSeparators.isEmpty {
            try push(source, scanned, path: "", depth: 0)
        } else {
            let range = try mend(source, scanned)
            try open(Decoded(range: range, path: "", depth: 0, kind: .outermost, isMended: true))
        }
        while let item = items.popLast() { try visit(item) }
        try takeNamedText()
    }

    func content(header: MessageHeader) -> ParseResponse.Content {
        var attachments = attachments
        for scope in scopes where !scope.images.isEmpty {
            guard let html = scope.html else { continue }
            let shown = InlineImages.references(in: html)
            for index in scope.images {
                attachments[index].isInline = attachments[index].contentID.map(shown.contains) ?? false
            }
        }
        if scopes.count > 1 {
            // By part path, as numbers; what has the same path stays as it came (`sort` is stable).
            let keys = attachments.map { $0.partPath.split(separator: ".").map { Int($0) ?? 0 } }
            let order = attachments.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
            attachments = order.map { attachments[$0] }
        }
        return ParseResponse.Content(
            header: header, text: scopes.first?.text, html: scopes.first?.html, attachments: attachments,
            defects: defects, report: report)
    }

    /// Puts a message on top of what is still to do; false where it is none.
    @discardableResult
    private mutating func push(
        _ source: RawSource, _ scanned: PrescanResult, path: String, depth: Int, scope: Int? = nil
    ) throws(ReadError) -> Bool {
        guard let tree = ParsedTree(source, scanned) else {
            // A nested message stays a file.
            if scopes.isEmpty { throw .unparseable("GMime finds no message in it") }
            return false
        }
        if scope == nil { scopes.append(Scope()) }
        items.append(
            Item(
                tree: tree, object: tree.top, path: path, isTop: true, depth: depth,
                scope: scope ?? scopes.count - 1, boundaries: []))
        return true
    }

    /// Reads a message that stands in the pack next, before what comes behind it; false where it is none.
    @discardableResult
    mutating func open(_ message: Decoded) throws(ReadError) -> Bool {
        try pack.flush()
        let source = try RawSource(pack.descriptor, message.range)
        switch try source.scan(limits: limits) {
        case .ok(let scanned):
            guard message.kind != .signed || scanned.header.isMIME else { return false }
            if scanned.missingSeparators.isEmpty || message.isMended {
                return try push(source, scanned, path: message.path, depth: message.depth, scope: message.scope)
            }
            var mended = message
            mended.range = try mend(source, scanned)
            mended.isMended = true
            return try open(mended)
        case .refused(.tooComplex, let detail, let header, _):
            guard message.kind != .signed || header?.isMIME ?? false else { return false }
            throw .tooComplex(message.path.isEmpty ? detail : "\(message.path): \(detail)")
        case .refused(_, let detail, _, _):
            if message.kind == .outermost { throw .unparseable(detail) }
            return false
        }
    }

    /// Packs a copy of a message, from its first field on, with the empty lines that are missing behind headers.
    private mutating func mend(_ source: RawSource, _ scanned: PrescanResult) throws(ReadError) -> Range<Int64> {
        defects.insert(.missingHeaderSeparator)
        let begin = pack.position
        var position = source.range.lowerBound + scanned.headerOffset
        for offset in scanned.missingSeparators {
            let next = source.range.lowerBound + offset
            try source.chunks(position..<next, pack.append)
            try [UInt8.lf][...].withBytes(pack.append)
            position = next
        }
        try source.chunks(position..<source.range.upperBound, pack.append)
        return begin..<pack.position
    }

    private mutating func visit(_ item: Item) throws(ReadError) {
        guard item.depth <= limits.maxDepth else { throw .tooComplex("nested deeper than \(limits.maxDepth)") }
        if fundmail_is_multipart(item.object) != 0 {
            try visitMultipart(item)
        } else if fundmail_is_message_part(item.object) != 0 {
            try visitMessage(item)
        } else if fundmail_is_part(item.object) != 0 {
            try visitLeaf(item)
        }
    }

    private mutating func visitMultipart(_ item: Item) throws(ReadError) {
        let multipart = fundmail_as_multipart(item.object)
        let fields = PartFields(item.object, charsets: charsets)
        defects.bits |= fields.defects.bits
        if fields.encoding == .base64 || fields.encoding == .quotedPrintable { defects.insert(.encodedMultipart) }
        if fields.contentType == "multipart/encrypted" { defects.insert(.encryptedContent) }
        // The parameter as the parser took it; GMime's own accessor would make one up where there is none.
        let boundary = g_mime_object_get_content_type(item.object)
            .flatMap { g_mime_content_type_get_parameter($0, "boundary") }
            .map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        if boundary == nil { defects.insert(.missingBoundary) }
        let count = g_mime_multipart_get_count(multipart)
        if boundary != nil, multipart?.pointee.write_end_boundary == 0 { defects.insert(.missingFinalBoundary) }
        let outside = [g_mime_multipart_get_prologue(multipart), g_mime_multipart_get_epilogue(multipart)]
        if count > 0, outside.contains(where: ParsedTree.looksLikePart) { defects.insert(.contentOutsideParts) }
        if count == 0 { try packChildless(item, fields, hasBoundary: boundary != nil) }
        let boundaries = item.boundaries + (boundary.map { [$0] } ?? [])
        let children = (0..<count).compactMap { g_mime_multipart_get_part(multipart, $0) }
        let roles = try roles(of: children, in: item, fields)
        for (index, child) in children.enumerated().reversed() {
            guard let role = roles[index] else { continue }
            items.append(
                Item(
                    tree: item.tree, object: child, path: Self.path(item.path, index + 1), isTop: false,
                    depth: item.depth + 1, scope: item.scope, boundaries: boundaries, role: role))
        }
    }

    /// A multipart in which GMime finds no part. When it does not say its boundary, but begins with a line that can be
    /// one, it is read by that; else what it holds is kept as a file, decoded when it says that it is encoded.
    private mutating func packChildless(_ item: Item, _ fields: PartFields, hasBoundary: Bool) throws(ReadError) {
        guard let first = fields.firstOffset, let start = try item.tree.body(headerAt: first) else { return }
        let end = try item.tree.end(from: start, boundaries: item.boundaries)
        guard start < end else { return }
        if !hasBoundary, try reopen(item, fields, start..<end) { return }
        try countPart()
        let begin = pack.position
        defects.formUnion(try BodyDecoder(source: item.tree.source).decode(start..<end, fields.encoding, pack.append))
        guard pack.position > begin else { return }
        add(fields, item, from: begin, contentType: "application/octet-stream")
    }

    /// Reads the content of a part as a multipart whose boundary GMime did not find; false where no line of it can be
    /// one, or it is encoded.
    private mutating func reopen(
        _ item: Item, _ fields: PartFields, _ content: Range<Int64>
    ) throws(ReadError) -> Bool {
        guard fields.encoding == .identity, let boundary = try item.tree.boundary(in: content) else { return false }
        let begin = pack.position
        let header = "Content-Type: \(fields.contentType); boundary=\"\(boundary)\"\n\n"
        try ArraySlice(header.utf8).withBytes(pack.append)
        try item.tree.source.chunks(content, pack.append)
        try open(
            Decoded(range: begin..<pack.position, path: item.path, depth: item.depth + 1, scope: item.scope))
        return true
    }

    private mutating func visitMessage(_ item: Item) throws(ReadError) {
        try countPart()
        let fields = PartFields(item.object, charsets: charsets)
        defects.bits |= fields.defects.bits
        let message = g_mime_message_part_get_message(fundmail_as_message_part(item.object))
        let begin = pack.position
        var nestedFields: PartFields?
        if let message { nestedFields = PartFields(fundmail_message_as_object(message), charsets: charsets) }
        // A digest's part has no header of its own (RFC 2046 §5.1.5).
        var start: Int64?
        if let first = fields.firstOffset { start = try item.tree.body(headerAt: first) }
        if let start = start ?? nestedFields?.firstOffset.map({ $0 + item.tree.shift }) {
            let end = try item.tree.end(from: start, boundaries: item.boundaries)
            try item.tree.source.chunks(start..<max(start, end), pack.append)
        }
        add(fields, item, from: begin, contentType: fields.messageType, suggestedName: nestedName(message))
        guard let message, let object = g_mime_message_get_mime_part(message) else { return }
        scopes.append(Scope())
        items.append(
            Item(
                tree: item.tree, object: object, path: item.leafPath, isTop: true, depth: item.depth + 1,
                scope: scopes.count - 1, boundaries: item.boundaries))
    }

    private mutating func visitLeaf(_ item: Item) throws(ReadError) {
        try countPart()
        var fields = PartFields(item.object, charsets: charsets)
        if case .dataFork(let name) = item.role { fields.inherit(name) }
        defects.bits |= fields.defects.bits
        let leaf = Leaf(item: item, fields: fields, content: item.tree.contentRange(fundmail_as_part(item.object)))
        // A type that came as encoded words, which GMime does not decode.
        if fields.contentType.hasPrefix("multipart/"), try reopen(item, fields, leaf.content) { return }
        if let kind = leaf.leftOut, try describes(kind, leaf) { return }
        scopes[item.scope].leaves += 1
        if try takeBody(leaf) { return }
        if Self.isTNEF(fields), try takeTNEF(leaf) { return }
        if leaf.isReference, try takeReference(leaf) { return }
        let begin = pack.position
        defects.formUnion(try decode(leaf, pack.append))
        if report == nil, item.scope == 0, Self.isReport(fields), leaf.content.count <= DeliveryStatusReader.maxBytes {
            var content: [UInt8] = []
            _ = try decode(leaf) { chunk in content += chunk }
            report = DeliveryStatusReader.report(content)
        }
        if fields.contentType == "message/partial" { defects.insert(.partialMessage) }
        if pack.position == begin, fields.name == nil, fields.contentType.hasPrefix("text/") { return }
        let end = pack.position
        let found = try unpackText(leaf)
        if found.files.isEmpty || found.hasText {
            add(fields, item, from: begin, to: end, contentType: fields.contentType)
        }
        attachments += found.files
        switch fields.contentType {
        case "message/rfc822", "message/global", "message/news":
            try open(Decoded(range: begin..<end, path: leaf.path, depth: item.depth + 1))
        case _ where Self.mayBeCMS(fields): try openSigned(begin..<end, of: leaf)
        default: break
        }
    }

    /// RFC 3464 §2.1, and RFC 6533 §3 for addresses beyond ASCII.
    private static func isReport(_ fields: PartFields) -> Bool {
        ["message/delivery-status", "message/global-delivery-status"].contains(fields.contentType)
    }

    private func describes(_ kind: LeftOut, _ leaf: Leaf) throws(ReadError) -> Bool {
        var content: [UInt8] = []
        _ = try decode(leaf) { chunk in content += chunk }
        return kind.describes(content)
    }

    mutating func countPart() throws(ReadError) {
        partCount += 1
        guard partCount <= limits.maxParts else { throw .tooComplex("more than \(limits.maxParts) parts") }
    }

    func decode(_ leaf: Leaf, _ sink: BodyDecoder.Sink) throws(ReadError) -> Set<Defect> {
        try BodyDecoder(source: leaf.item.tree.source).decode(leaf.content, leaf.fields.encoding, sink)
    }

    mutating func add(
        _ fields: PartFields, _ item: Item, from begin: Int64, to end: Int64? = nil, contentType: String,
        suggestedName: String? = nil
    ) {
        let attachment = PackedAttachment(
            sentName: fields.name, suggestedName: suggestedName, contentType: contentType, offset: begin,
            count: (end ?? pack.position) - begin, contentID: fields.contentID, partPath: item.leafPath)
        add(attachment, scope: fields.disposition == "attachment" ? nil : item.scope)
    }

    /// - Parameter scope: the message whose HTML body could show the attachment in place of a file.
    mutating func add(_ attachment: PackedAttachment, scope: Int?) {
        if let scope, attachment.isDecoration { scopes[scope].images.append(attachments.count) }
        attachments.append(attachment)
    }

    /// The subject of a nested message, as a file name.
    private func nestedName(_ message: UnsafeMutablePointer<GMimeMessage>?) -> String? {
        guard let message, let raw = g_mime_object_get_header_list(fundmail_message_as_object(message)),
            let header = g_mime_header_list_get_header(raw, "Subject")
        else { return nil }
        let subject = EncodedText.unstructured(
            PartFields.unfolded(g_mime_header_get_raw_value(header)), charsets: charsets)
        return subject.text.isEmpty ? nil : subject.text.prefix(bytes: 200) + ".eml"
    }

    static func path(_ parent: String, _ number: Int) -> String { parent.isEmpty ? "\(number)" : "\(parent).\(number)" }
}

extension PackedAttachment {
    /// A named picture of so many bytes is a photo or a scan, and a file wherever the mail shows it.
    private static let photoBytes: Int64 = 50_000
    /// Browsers show no TIFF: what comes as one is a scan.
    private static let scanTypes: Set<String> = ["image/tiff", "image/tif", "image/x-tiff", "image/x-tif"]

    /// Whether it is a picture that is no file where an HTML body shows it: a logo, a signature, a screenshot in the
    /// text.
    fileprivate var isDecoration: Bool {
        contentID != nil && contentType.hasPrefix("image/") && !Self.scanTypes.contains(contentType)
            && (sentName == nil || count < Self.photoBytes)
    }
}
