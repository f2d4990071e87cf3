internal import Glibc

/// A numeric address of a host: IPv4 or IPv6. An IPv4-mapped address (RFC 4291 §2.5.5.2) is one of IPv4.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// Four bytes of IPv4, or sixteen of IPv6.
    package let bytes: [UInt8]

    /// Creates an address from its bytes; nil for another number of bytes than four or sixteen.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped = bytes.count == 16 && bytes.starts(with: Self.mapped)
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// Reads a host as resolvers do: IPv4 in one to four parts, each decimal, octal or hexadecimal (inet_aton(3)),
    /// or IPv6 without brackets. Nil for a name.
    package init?(host: String) {
        if host.contains(":") {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard inet_pton(AF_INET6, host, &bytes) == 1 else { return nil }
            self.init(bytes)
        } else {
            var address = in_addr()
            let isNumeric = host.utf8.allSatisfy { ASCII.hexValue($0) != nil || $0 == .dot || $0 == UInt8(ascii: "x") }
            guard isNumeric, host.utf8.first.map(ASCII.isDigit) ?? false, inet_aton(host, &address) == 1 else {
                return nil
            }
            self.init(withUnsafeBytes(of: address.s_addr) { Array($0) })
        }
    }

    /// Four decimal numbers, or IPv6 as RFC 5952 writes it.
    package var description: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "::" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The address of IPv4 that one of IPv6 is translated to (RFC 6052 §2.1), or the address itself.
    package var translated: IPAddress {
        guard bytes.count == 16, bytes.starts(with: Self.translation) else { return self }
        return IPAddress(Array(bytes.suffix(4))) ?? self
    }

    /// Whether what is sent there does not leave this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Self.loopback }

    /// Whether a host is this machine itself: `localhost`, or a loopback address, IPv6 without brackets. A name that
    /// only begins like an address is another host.
    package static func isLoopback(host: some StringProtocol) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host: String(host))?.isLoopback ?? false
    }

    /// A host as a URL has it: an IPv6 address stands in brackets (RFC 3986 §3.2.2).
    package static func urlHost(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    private static let loopback: [UInt8] = [UInt8](repeating: 0, count: 15) + [1]
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    private static let translation: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
}
