internal import Foundation

/// A proxy over which servers are reached: it makes a connection to them (CONNECT of RFC 9110 §9.3.6).
public struct ProxyAddress: Sendable, Hashable {
    /// Name or address of the proxy, an IPv6 address without brackets.
    public var host: String
    /// Port of the proxy, from 1.
    public var port: Int
    /// Name of the user who may use it; nil for everybody.
    public var user: String?
    /// Password of the user.
    public var password: String?

    private static let usualPort = 8080

    /// Reads what people write into `https_proxy`: `http://proxy.example:3128`, or only host and port. Nil for other
    /// text, and for proxies of another kind.
    public init?(_ text: String) {
        guard let parts = URLComponents(string: text.contains("://") ? text : "http://" + text),
            parts.scheme?.lowercased() == "http",
            let host = parts.host?.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), !host.isEmpty
        else { return nil }
        let port = parts.port ?? Self.usualPort
        guard (1...Int(UInt16.max)).contains(port) else { return nil }
        (self.host, self.port, user, password) = (host, port, parts.user, parts.password)
    }
}
