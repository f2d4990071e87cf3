import CGMime
internal import Glibc
import FundCore

/// The MIME fields of one part, decoded here: from GMime 3.2.13 parameters come back cut at an encoded NUL and joined
/// over missing continuations. Of several fields of a name the last counts, by which GMime chose the kind.
struct PartFields {
    /// Valid by `Wire.isContentType`. Missing: `text/plain` (RFC 2045 §5.2); unknown: octets (RFC 2049 §2).
    private(set) var contentType = "text/plain"
    private(set) var typeParameters: [String: String] = [:]
    /// There is a Content-Type, but not of the form `type/subtype`.
    private(set) var hasUnknownType = false
    /// `attachment`, `inline`, anything else, or "" without the field.
    private(set) var disposition = ""
    /// `filename` of Content-Disposition, else `name` of Content-Type; never empty.
    private(set) var name: String?
    /// The name stands in Content-Disposition, which only files have.
    private(set) var hasFileName = false
    private(set) var encoding = TransferEncoding.identity
    private(set) var contentID: String?
    /// Address at which Thunderbird put a file that it detached from the mail (`X-Mozilla-External-Attachment-URL`).
    private(set) var externalAddress: String?
    /// Thunderbird took its content away (`X-Mozilla-Altered`).
    private(set) var isAltered = false
    private(set) var defects = DefectSet()
    /// Where the first field begins in the stream that GMime read; nil without fields.
    private(set) var firstOffset: Int64?

    init(_ object: UnsafeMutablePointer<GMimeObject>, charsets: CharsetDecoder) {
        var values: [Field: [UInt8]] = [:]
        let list = g_mime_object_get_header_list(object)
        for index in 0..<g_mime_header_list_get_count(list) {
            guard let header = g_mime_header_list_get_header_at(list, index) else { continue }
            let offset = Int64(g_mime_header_get_offset(header))
            if offset >= 0 { firstOffset = min(firstOffset ?? offset, offset) }
            guard let field = Field(header) else { continue }
            if values[field] != nil, let defect = field.whenDuplicate { defects.insert(defect) }
            values[field] = Self.unfolded(g_mime_header_get_raw_value(header))
        }
        if let value = values[.type] { readType(MIMEField(value, charsets: charsets)) }
        if let value = values[.disposition] { readDisposition(MIMEField(value, charsets: charsets)) }
        if let value = values[.encoding] { encoding = TransferEncoding(value) }
        if let value = values[.id] { contentID = Self.contentID(value) }
        isAltered = values[.altered] != nil
        if let value = values[.externalAddress], !value.isEmpty {
            externalAddress = String(decoding: value, as: UTF8.self)
        }
    }

    /// Takes a name that belongs to the part, where it has none.
    mutating func inherit(_ other: String?) { name = name ?? other }

    /// Whether the part asks to be a file.
    var isAttachment: Bool { disposition == "attachment" || hasFileName }

    /// The type of a nested message, which GMime makes of `message/news`, `message/global` and parts of digests, too.
    var messageType: String { contentType.hasPrefix("message/") ? contentType : "message/rfc822" }

    private mutating func readType(_ field: MIMEField) {
        defects.formUnion(field.defects)
        typeParameters = field.parameters
        hasUnknownType = !Wire.isContentType(field.value)
        // A value that does not look like a type is taken for none (RFC 2045 §5.2), `text` alone among it.
        let substitute = field.value.contains("/") ? "application/octet-stream" : "text/plain"
        contentType = hasUnknownType ? substitute : field.value
        if name == nil { name = field.parameters["name"].flatMap(Self.cutName) }
    }

    private mutating func readDisposition(_ field: MIMEField) {
        defects.formUnion(field.defects)
        disposition = field.value
        if let sent = field.parameters["filename"].flatMap(Self.cutName) { (name, hasFileName) = (sent, true) }
    }

    private static func cutName(_ name: String) -> String? {
        name.isEmpty ? nil : name.prefix(bytes: Wire.maxNameBytes)
    }

    /// RFC 2392: compared without its brackets.
    private static func contentID(_ value: [UInt8]) -> String? {
        let inner = value.split(whereSeparator: { $0 == .lessThan || $0 == .greaterThan || $0 <= .space }).first ?? []
        guard !inner.isEmpty, inner.count <= Wire.maxContentIDBytes else { return nil }
        return String(validating: inner, as: UTF8.self)
    }

    /// Without line ends and outer white space.
    static func unfolded(_ raw: UnsafePointer<CChar>?) -> [UInt8] {
        guard let raw else { return [] }
        let bytes = UnsafeBufferPointer(start: UnsafePointer<UInt8>(OpaquePointer(raw)), count: strlen(raw))
        var value = bytes.filter { $0 != .lf && $0 != .cr }
        while let last = value.last, ASCII.isBlank(last) { value.removeLast() }
        return Array(value.drop(while: ASCII.isBlank))
    }

    private enum Field: String, CaseIterable {
        case type = "Content-Type"
        case disposition = "Content-Disposition"
        case encoding = "Content-Transfer-Encoding"
        case id = "Content-ID"
        case externalAddress = "X-Mozilla-External-Attachment-URL"
        case altered = "X-Mozilla-Altered"

        init?(_ header: UnsafeMutablePointer<GMimeHeader>) {
            guard let name = g_mime_header_get_name(header) else { return nil }
            let fields: ArraySlice<Self>
            switch UInt8(bitPattern: name[0]) | 0x20 {
            case UInt8(ascii: "c"): fields = Self.ofMIME
            case UInt8(ascii: "x"): fields = Self.others
            default: return nil
            }
            guard let field = fields.first(where: { strcasecmp(name, $0.rawValue) == 0 }) else { return nil }
            self = field
        }

        var whenDuplicate: Defect? {
            switch self {
            case .type: .duplicateContentType
            case .disposition: .duplicateContentDisposition
            case .encoding: .duplicateTransferEncoding
            case .id, .externalAddress, .altered: nil
            }
        }

        private static let others: ArraySlice = [externalAddress, altered]
        private static let ofMIME = allCases.dropLast(others.count)
    }
}
