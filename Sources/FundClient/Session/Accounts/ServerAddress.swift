internal import Foundation

/// Where a server is: scheme, host and port, as in `https://funds.example.com`.
public struct ServerAddress: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Whether it speaks https.
    public let isEncrypted: Bool
    /// Host in lower case; an IPv6 address without brackets.
    public let host: String
    /// The one of the scheme where none is written.
    public let port: Int

    /// Reads what a person writes. Without a scheme it is https. Nil for anything with user, path, query or fragment.
    public init?(_ text: String) {
        let text = text.contains("://") ? text : "https://" + text
        guard text.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7F }),
            let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "https" || scheme == "http", parts.user == nil, parts.password == nil,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            let host = parts.host?.trimmingCharacters(in: CharacterSet(charactersIn: "[]")).lowercased(), !host.isEmpty
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? Self.httpsPort : Self.httpPort)
        guard (1...Int(UInt16.max)).contains(port) else { return nil }
        isEncrypted = scheme == "https"
        self.host = host
        self.port = port
    }

    private static let httpsPort = 443
    private static let httpPort = 80

    /// `https` or `http`.
    public var scheme: String { isEncrypted ? "https" : "http" }

    /// Host and port as they stand in a URL; the port only where it is not the scheme's.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? Self.httpsPort : Self.httpPort) ? name : "\(name):\(port)"
    }

    /// Without a path: `https://funds.example.com`.
    public var description: String { "\(scheme)://\(authority)" }

    /// Whether it is this machine, so that the bytes cross no network. A name that only begins like an
    /// address is another host.
    public var isLoopback: Bool {
        let isAddress = host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        return host == "localhost" || host == "::1" || (isAddress && host.hasPrefix("127."))
    }

    /// Reads the text of an address.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = ServerAddress(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the address of a server")
        }
        self = address
    }

    /// Writes what servers read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
