internal import NIOCore

/// IP addresses of clients as text.
enum PeerAddress {
    /// In numbers; an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. Empty for a Unix socket.
    static func text(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress else { return "" }
        let mapped = "::ffff:"
        return text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
    }

    static func isLoopback(_ text: String) -> Bool { text.hasPrefix("127.") || text == "::1" }

    /// The address in an entry of `X-Forwarded-For`: `192.0.2.1`, `192.0.2.1:1234`, `[2001:db8::1]:1234`. Nil when it
    /// is no address.
    static func forwarded(_ field: some StringProtocol) -> String? {
        var text = field.drop { $0 == " " }
        while text.last == " " { text = text.dropLast() }
        if text.first == "[" {
            text = text.dropFirst().prefix { $0 != "]" }
        } else if text.count(where: { $0 == ":" }) == 1 {
            text = text.prefix { $0 != ":" }
        }
        guard let address = try? SocketAddress(ipAddress: String(text), port: 0) else { return nil }
        return self.text(address)
    }
}
