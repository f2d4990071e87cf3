internal import Hummingbird

/// Addresses under which programs open the library as a drive, as the browser named this server.
struct DriveAddress {
    private let isEncrypted: Bool
    /// Host and port.
    private let authority: String

    init(_ call: PageCall) {
        isEncrypted = call.context.isEncrypted
        authority = call.request.head.authority ?? ""
    }

    /// The server itself.
    var server: String { "\(isEncrypted ? "https" : "http")://\(authority)" }

    var url: String { "\(server)/dav/" }

    /// The form of the address that commands of Windows take (UNC). Nil for an IPv6 address, which has none.
    var networkPath: String? {
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        let port = parts.count == 2 ? "@\(parts[1])" : ""
        return "\\\\\(host)\(isEncrypted ? "@SSL" : "")\(port)\\DavWWWRoot\\dav"
    }

    func netUse(by user: String) -> String? { networkPath.map { "net use * \($0) /user:\(user)" } }

    /// The command that makes a remote of rclone, for a POSIX shell. As one of ownCloud it compares times and
    /// checksums.
    func rclone(by user: String, password: String) -> String {
        let remote = [("url", url), ("vendor", "owncloud"), ("user", user), ("pass", password)]
            .map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
        return "rclone config create fundmail webdav \(remote)"
    }

    /// Quotes a text for a POSIX shell.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
