internal import HTTPTypes

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
            let host = Self.normal(authority, scheme)
            // The scheme is not compared: a proxy may terminate TLS.
            guard authorities.contains(where: { Self.normal(Substring($0), scheme) == host }) else {
                throw DAVError(.badGateway, "the destination is not on this server")
            }
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw DAVError(.badRequest, "the destination has a query or a fragment")
        }
        return try DAVPath(encoded: rest)
    }

    /// In lower case, without the default port of the scheme.
    private static func normal(_ authority: Substring, _ scheme: String) -> String {
        let text = authority.lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
}
