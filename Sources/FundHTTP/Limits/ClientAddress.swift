internal import Glibc
internal import NIOCore

/// IP addresses of clients as text.
package enum PeerAddress {
    /// In numbers; an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as IPv4. Empty for a Unix socket.
    static func text(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress else { return "" }
        let mapped = "::ffff:"
        return text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
    }

    /// Whether the address is one of this machine itself. Each request asks it, and peers have no names.
    package static func isLoopback(_ text: String) -> Bool { text.hasPrefix("127.") || text == "::1" }

    /// The address in an entry of `X-Forwarded-For`: `192.0.2.1`, `192.0.2.1:1234`, `[2001:db8::1]:1234`; else nil.
    package static func forwarded(_ field: some StringProtocol) -> String? {
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

/// The network of a client, for counting connections and failed logins: an IPv4 address, or the /64 of an IPv6 address,
/// since a customer gets a /64 and can use any address in it.
package struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// `192.0.2.1`, `2001:db8:1:2::/64`; `local` when it is no IP address, as for a Unix socket.
    package let description: String

    package init(_ text: String?) {
        guard let text, let address = Self.network(text.prefix { $0 != "%" }) else {
            description = "local"
            return
        }
        description = address
    }

    private init(site: String) { description = site }

    /// The network for sharing memory: an IPv4 address, or the /48 of an IPv6 address, which is what one customer can
    /// get (RFC 6177 §2), with 65,536 of /64.
    package var site: ClientAddress {
        guard description.hasSuffix("::/64") else { return self }
        return ClientAddress(site: description.split(separator: ":").prefix(3).joined(separator: ":") + "::/48")
    }

    private static func network(_ text: Substring) -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, String(text), &bytes) == 1 { return String(text) }
        guard inet_pton(AF_INET6, String(text), &bytes) == 1 else { return nil }
        // RFC 4291 §2.5.5.2: an IPv4-mapped address.
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        let groups = stride(from: 0, to: 8, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
