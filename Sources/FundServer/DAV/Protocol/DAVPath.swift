internal import FundCore
internal import HTTPTypes

/// A path below `/dav/` as names: none for the root, then fund, folders, file. Names are looked up as rows and never
/// become paths of the file system.
struct DAVPath: Hashable, Sendable {
    static let prefix = "/dav"
    /// Bounds the look-ups of one request.
    static let maxDepth = 100
    /// Bytes of one name: three times what a stored name may have, since NFC may shorten it so much.
    private static let maxNameBytes = 3 * 255

    var names: [String]
    /// Whether the path ends with a slash, as that of a collection.
    var hasSlash = true

    static let root = DAVPath(names: [])

    var parent: DAVPath? { names.isEmpty ? nil : DAVPath(names: names.dropLast()) }

    func appending(_ name: String) -> DAVPath { DAVPath(names: names + [name]) }

    /// Whether `other` is this path or lies below it, by names as they are written.
    func holds(_ other: DAVPath) -> Bool { other.names.starts(with: names) }

    init(names: [String], hasSlash: Bool = true) {
        self.names = names
        self.hasSlash = hasSlash
    }

    /// Reads the path of a request target or of a URL (RFC 3986 §3.3), without its query. Percent-encoding is decoded
    /// once, so that `%252e` is the name `%2e`. Throws 400 for a path that names nothing: dot segments, empty segments,
    /// a slash, backslash or control character within a name, text that is not UTF-8; 403 for a path outside of
    /// `/dav/`.
    init(encoded: some StringProtocol) throws {
        var path = Substring(encoded)
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") })
        else { throw DAVError(.badRequest, "the path holds characters that must be percent-encoded") }
        guard path.hasPrefix(Self.prefix) else { throw Self.outside }
        path.removeFirst(Self.prefix.count)
        guard path.isEmpty || path.first == "/" else { throw Self.outside }
        hasSlash = path.last == "/"
        var segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        guard segments.count <= Self.maxDepth else { throw DAVError(.badRequest, "the path is too deep") }
        names = try segments.map { try Self.decode($0) }
    }

    private static let outside = DAVError(.forbidden, "the path lies outside of \(prefix)/")

    private static func decode(_ segment: Substring) throws -> String {
        guard let bytes = PercentCoding.decoded(segment.utf8) else {
            throw DAVError(.badRequest, "a percent sign in the path begins no code")
        }
        guard let name = String(validating: bytes, as: UTF8.self) else {
            throw DAVError(.badRequest, "the path is not UTF-8")
        }
        guard bytes.count <= maxNameBytes else { throw DAVError(.badRequest, "a name in the path is too long") }
        guard !name.isEmpty, name != ".", name != "..",
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else { throw DAVError(.badRequest, "the path holds a segment that is no name") }
        return name
    }

    /// Percent-encoded; with a slash at the end for a collection.
    func href(isCollection: Bool) -> String {
        var text = Self.prefix
        for name in names {
            text += "/"
            text += Self.encoded(name)
        }
        if isCollection { text += "/" }
        return text
    }

    /// Encodes all but unreserved characters (RFC 3986 §2.3), so that an href needs no further escaping in XML or
    /// HTML.
    static func encoded(_ name: String) -> String {
        PercentCoding.encoded(name, keeping: PercentCoding.isUnreserved)
    }
}
