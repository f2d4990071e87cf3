internal import FundCore
package import HTTPTypes

/// Checks that hold for every request: size of the fields, host, codings.
package struct RequestCheck {
    /// The longest host name (RFC 1035 §2.3.4) and a port.
    private static let maxHostBytes = 255 + 6

    private let request: HTTPRequest
    private let isMultiplexed: Bool
    private let limits: ServerLimits

    package init(_ request: HTTPRequest, isMultiplexed: Bool, limits: ServerLimits) {
        (self.request, self.isMultiplexed, self.limits) = (request, isMultiplexed, limits)
    }

    package func run() throws {
        // The decoder of HTTP/1.1 has checked it already.
        if isMultiplexed { try checkSize() }
        guard request.path?.utf8.first == UInt8(ascii: "/") || request.method == .options else {
            throw RequestError.invalid("the target must be a path")
        }
        try checkHost()
        try checkCoding()
    }

    private func checkSize() throws {
        var bytes = 0
        for field in request.headerFields { bytes += field.name.rawName.utf8.count + field.value.utf8.count }
        guard bytes <= limits.maxHeaderBytes, request.headerFields.count <= limits.maxHeaderFields else {
            throw RequestError(
                .requestHeaderFieldsTooLarge, "too-many-fields", "the request has too many or too large fields")
        }
    }

    /// RFC 9112 §3.2, RFC 9113 §8.3.1. The first `Host` of HTTP/1.1 is the authority; a further one stays a field.
    private func checkHost() throws {
        let field = request.headerFields[.host]
        guard let authority = request.authority ?? (isMultiplexed ? field : nil) else {
            throw RequestError.invalid("the request names no host")
        }
        guard field == nil || (isMultiplexed && field == authority) else {
            throw RequestError.invalid("the request names two hosts")
        }
        guard Self.isHost(authority) else { throw RequestError.invalid("the request's host is none") }
    }

    /// A name, an IPv4 address or one of IPv6 in brackets, and an optional port (RFC 3986 §3.2.2), no user or
    /// sub-delimiters.
    package static func isHost(_ authority: String) -> Bool {
        guard authority.utf8.count <= maxHostBytes else { return false }
        var rest = Substring(authority).utf8
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")),
                PeerAddress.forwarded(Substring(rest[...end])) != nil
            else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.allSatisfy(PercentCoding.isUnreserved) else { return false }
            rest = rest[name.endIndex...]
        }
        guard rest.popFirst() != nil else { return true }
        return !rest.isEmpty && UInt16(Substring(rest)) != nil && rest.allSatisfy { $0 != UInt8(ascii: "+") }
    }

    /// Bodies are stored as they come, an encoded one encoded: it is refused (RFC 9110 §15.5.16, RFC 9112 §6.1).
    private func checkCoding() throws {
        if request.headerFields.contains(.transferEncoding) {
            let codings = request.headerFields[values: .transferEncoding].flatMap { $0.split(separator: ",") }.map(
                Self.word)
            // RFC 9112 §6.3: the end of such a body is unknown.
            guard codings.last == "chunked" else {
                throw RequestError.invalid("the last coding of the body must be chunked")
            }
            guard codings.count == 1 else {
                throw RequestError(.notImplemented, "transfer-coding", "the body may be chunked, and nothing else")
            }
        }
        if request.headerFields.contains(.contentEncoding),
            request.headerFields[values: .contentEncoding].contains(where: { Self.word($0) != "identity" })
        {
            throw RequestError(
                .unsupportedMediaType, "content-coding", "send the body as it is, not compressed",
                headers: [.acceptEncoding: "identity"])
        }
    }

    private static func word(_ value: some StringProtocol) -> String {
        value.lowercased().filter { $0 != " " && $0 != "\t" }
    }
}
