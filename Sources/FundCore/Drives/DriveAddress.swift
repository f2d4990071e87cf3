/// The address of a store's web server: `https`, a host, no user (RFC 3986 §3). Administrators say which ports there
/// may be beside the usual ones.
package struct DriveAddress: Sendable, Hashable {
    /// The name or address, in the form that `NewsAddress` writes.
    package var host: String
    package var port: Int
    /// The whole address; without the port that `https` implies.
    package var text: String

    private static let scheme = "https://"
    private static let usualPort = 443

    package init?(_ text: String) {
        guard text.lowercased().hasPrefix(Self.scheme) else { return nil }
        let rest = text.dropFirst(Self.scheme.count)
        var authority = rest.prefix { !"/?#\\".contains($0) }
        let path = rest.dropFirst(authority.count)
        var port = Self.usualPort
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[colon...].dropFirst()
            guard digits.utf8.allSatisfy(ASCII.isDigit), digits.utf8.count <= 5,
                let number = digits.isEmpty ? Self.usualPort : Int(digits), (1...65535).contains(number)
            else { return nil }
            port = number
            authority = authority[..<colon]
        }
        guard let address = NewsAddress("\(Self.scheme)\(authority)\(path)"), address.isEncrypted else { return nil }
        host = address.host
        self.port = port
        let shownHost = IPAddress.urlHost(host)
        let behindHost = address.text.dropFirst(Self.scheme.count + shownHost.count)
        self.text = "\(Self.scheme)\(shownHost)\(port == Self.usualPort ? "" : ":\(port)")\(behindHost)"
    }
}
