internal import HTTPTypes

/// Reads the URLs in `Destination` and `If` (`Simple-ref`, RFC 4918 §8.3): a whole URL of this server, or a path.
struct DAVDestination {
    /// Whom the request asked, and other names this server is known by: `host` or `host:port`.
    let authorities: [String]

    /// Throws 502 for another server, as RFC 4918 §9.8.5 says; else what `DAVPath` throws.
    func path(of reference: some StringProtocol) throws -> DAVPath {
        var rest = Substring(reference)
        if rest.first != "/" {
            guard let colon = rest.firstIndex(of: ":") else {
                throw DAVFailure(.badRequest, "the destination is neither a URL nor a path")
            }
            let scheme = rest[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
            guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else {
                throw DAVFailure(.badGateway, "the destination is not on this server")
            }
            rest = rest.dropFirst(2)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            rest = rest[authority.endIndex...]
            let host = Self.normal(authority, scheme)
            // The scheme is not compared: a proxy in front may end the TLS.
            guard authorities.contains(where: { Self.normal(Substring($0), scheme) == host }) else {
                throw DAVFailure(.badGateway, "the destination is not on this server")
            }
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw DAVFailure(.badRequest, "the destination has a query or a fragment")
        }
        return try DAVPath(encoded: rest)
    }

    /// In lower case, without the port that the scheme has anyway.
    private static func normal(_ authority: Substring, _ scheme: String) -> String {
        let text = authority.lowercased()
        let port = scheme == "https" ? ":443" : ":80"
        return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
}
