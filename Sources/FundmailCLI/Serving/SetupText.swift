import FundCore
import Glibc

/// Checks of what an administrator typed about a server.
enum SetupText {
    private static let maxBytes = 1024
    private static let beginOfCertificate = "-----BEGIN CERTIFICATE-----"

    /// Whether a text is one line without controls, and not too long.
    static func isLine(_ text: String) -> Bool {
        text.utf8.count <= maxBytes && !text.utf8.contains { $0 < .space || $0 == UInt8(ascii: "\u{7F}") }
    }

    /// False for a name with its port, which would count as an IPv6 address: a URL puts both into brackets.
    static func isHost(_ text: String) -> Bool { !text.utf8.contains(.colon) || isIPv6(text) }

    static func isIPv6(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, text, &bytes) == 1
    }

    static func isCertificate(_ text: String) -> Bool { text.contains(beginOfCertificate) }

    /// A certificate as a file has it; nil for none.
    static func certificate(_ typed: String) -> String? {
        let text = typed.replacing("\r\n", with: "\n")
        return text.isEmpty ? nil : text.hasSuffix("\n") ? text : text + "\n"
    }
}
