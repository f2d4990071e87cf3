internal import FundCore
internal import HTTPTypes

/// A path below `/dav/` as names: none for the root, then fund, folders, file. They never become paths of files.
struct DAVPath: Hashable, Sendable {
    static let prefix = "/dav"
    /// Bounds the look-ups of one request.
    static let maxDepth = 100
    /// Bytes of one name: three times what a stored name may have, since NFC may shorten it so much.
    private static let maxNameBytes = 3 * 255

    var names: [String]
    /// Whether the path ends with a slash, as that of a collection.
    var hasSlash = true

    var parent: DAVPath? { names.isEmpty ? nil : DAVPath(names: names.dropLast()) }

    func appending(_ name: String) -> DAVPath { DAVPath(names: names + [name]) }
}

extension DAVPath {
    /// Reads the path of a request target or URL (RFC 3986 §3.3), without its query. Percent-encoding is decoded once:
    /// `%252e` is the name `%2e`. Throws 403 outside of `/dav/`, 400 for a path that names nothing: dot segments, empty
    /// segments, a slash, backslash or control character within a name, text that is not UTF-8.
    init(encoded: some StringProtocol) throws {
        var path = Substring(encoded).utf8
        guard path.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") })
        else { throw DAVError(.badRequest, "the path holds characters that must be percent-encoded") }
        guard path.starts(with: Self.prefix.utf8) else { throw Self.outside }
        path = path.dropFirst(Self.prefix.utf8.count)
        guard path.isEmpty || path.first == UInt8(ascii: "/") else { throw Self.outside }
        hasSlash = path.last == UInt8(ascii: "/")
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        guard segments.count <= Self.maxDepth else { throw DAVError(.badRequest, "the path is too deep") }
        names = try segments.map { try Self.decode($0) }
    }

    private static let outside = DAVError(.forbidden, "the path lies outside of \(prefix)/")

    private static func decode(_ segment: Substring.UTF8View) throws -> String {
        guard let bytes = PercentCoding.decoded(segment) else {
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

    /// Encodes all but unreserved characters (RFC 3986 §2.3): an href needs no further escaping in XML or HTML.
    static func encoded(_ name: String) -> String { PercentCoding.encoded(name, keeping: PercentCoding.isUnreserved) }
}

/// Reads the URLs in `Destination` and `If` (`Simple-ref`, RFC 4918 §8.3): a URL of this server, or a path.
struct DAVDestination {
    /// The authority of the request and the others of this server: `host` or `host:port`.
    let authorities: [String]

    /// Throws 502 for another server (RFC 4918 §9.8.5), else the errors of `DAVPath`.
    func path(of reference: some StringProtocol) throws -> DAVPath {
        var rest = Substring(reference)
        if rest.first != "/" {
            guard let colon = rest.firstIndex(of: ":") else {
                throw DAVError(.badRequest, "the destination is neither a URL nor a path")
            }
            let scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
            guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else {
                throw DAVError(.badGateway, "the destination is not on this server")
            }
            rest = rest.dropFirst(2)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            rest = rest[authority.endIndex...]
            // The scheme is not compared: a proxy may terminate TLS.
            guard let place = HostAndPort(authority, scheme),
                authorities.contains(where: { HostAndPort(Substring($0), scheme) == place })
            else {
                throw DAVError(.badGateway, "the destination is not on this server")
            }
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw DAVError(.badRequest, "the destination has a query or a fragment")
        }
        return try DAVPath(encoded: rest)
    }
}

/// Host and port of an authority (RFC 3986 §3.2): user information is left out, hosts are compared without regard to
/// case, and a missing port is the default one of the scheme.
private struct HostAndPort: Equatable {
    var host: String
    var port: Int

    /// Reads an authority; nil for a port that is no number.
    init?(_ authority: Substring, _ scheme: String) {
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // The colons within brackets are those of an address.
        let tail = place[(place.lastIndex(of: "]") ?? place.startIndex)...]
        let colon = tail.firstIndex(of: ":")
        host = place[..<(colon ?? place.endIndex)].lowercased()
        let digits = colon.map { place[place.index(after: $0)...] } ?? ""
        guard !digits.isEmpty else {
            port = scheme == "https" ? 443 : 80
            return
        }
        guard digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(digits) else { return nil }
        port = number
    }
}
