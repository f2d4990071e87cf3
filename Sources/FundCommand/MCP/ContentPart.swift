import Foundation

/// Bytes of a file, or of a part of it.
struct ContentPart: Sendable {
    /// Bytes of one answer, unless the caller asks for others.
    static let usualBytes: Int64 = 1 << 20
    /// Limit of bytes in one answer.
    static let maxBytes: Int64 = 4 << 20

    var bytes: [UInt8]
    /// Offset of the first byte.
    var offset: Int64
    /// Size of the whole; nil where the server does not say.
    var total: Int64?
    /// A media type, as the sender of the file named it.
    var contentType: String?
    /// Whether bytes follow.
    var isCut: Bool

    var isWhole: Bool { offset == 0 && !isCut }

    /// Says which bytes these are, and how to get the others.
    var words: String {
        let of = total.map { " of \($0)" } ?? ""
        let end = offset + Int64(bytes.count)
        if isWhole { return "All \(bytes.count) bytes." }
        let rest = isCut ? "It is cut: call again with offset \(end) for more." : "That is the end."
        return "Bytes \(offset) to \(end)\(of). \(rest)"
    }

    /// The content of a resource.
    func json(_ resource: ResourceAddress) -> JSONValue {
        [
            "uri": .string(resource.text), "mimeType": .string(Self.safeType(contentType)),
            "blob": .string(Data(bytes).base64EncodedString()),
        ]
    }

    /// A type that is one (RFC 6838 §4.2), without parameters; else that of any bytes.
    static func safeType(_ type: String?) -> String {
        let name = /[A-Za-z0-9][A-Za-z0-9!#$&^_.+\-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+\-]{0,126}/
        let essence = type?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces) ?? ""
        return essence.wholeMatch(of: name) == nil ? "application/octet-stream" : essence.lowercased()
    }
}
