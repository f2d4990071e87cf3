/// The address of a receiver: `https` of a host without a user, or `http` of this machine itself, which no other
/// machine can read. Administrators say which ports and private addresses there may be (`AllowedHost`).
package struct WebhookAddress: Sendable, Hashable, CustomStringConvertible {
    /// The name or address, in the form that `NewsAddress` writes.
    package let host: String
    package let port: Int
    /// The whole address, without a fragment and without the port that its scheme implies.
    package let text: String

    package var description: String { text }

    private static let (plain, encrypted) = ("http://", "https://")
    private static let (plainPort, encryptedPort) = (80, 443)

    /// Nil for another scheme, `http` of another machine, a text without a host, one with a user, and one that is too
    /// long.
    package init?(_ text: String) {
        let text = text.trimmed
        guard text.lowercased().hasPrefix(Self.plain) else {
            guard let address = DriveAddress(text) else { return nil }
            (host, port, self.text) = (address.host, address.port, address.text)
            return
        }
        guard let address = DriveAddress(Self.encrypted + text.dropFirst(Self.plain.count)),
            IPAddress.isLoopback(host: address.host)
        else { return nil }
        let shownHost = IPAddress.urlHost(address.host)
        var behindHost = address.text.dropFirst(Self.encrypted.count + shownHost.count)
        // The usual port of the other scheme was left out, and that of this one was not.
        let digits = ":\(address.port)"
        let isNamed = behindHost.hasPrefix(digits)
        if isNamed { behindHost = behindHost.dropFirst(digits.count) }
        let typed = text.dropFirst(Self.plain.count).prefix { !"/?#".contains($0) }
        port = isNamed ? address.port : typed.hasSuffix(":\(Self.encryptedPort)") ? Self.encryptedPort : Self.plainPort
        host = address.host
        self.text = "\(Self.plain)\(shownHost)\(port == Self.plainPort ? "" : ":\(port)")\(behindHost)"
    }
}
