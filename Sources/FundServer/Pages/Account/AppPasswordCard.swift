internal import Hummingbird
internal import FundCore

/// A new app password, and what to type with it into the programs that open the library as a drive.
struct AppPasswordCard {
    let added: IssuedToken
    let user: String
    let isEncrypted: Bool
    /// Host and port, as the browser asked for them.
    let authority: String
    let words: Words

    init(_ added: IssuedToken, _ call: PageCall) throws {
        self.added = added
        user = try call.user.email
        isEncrypted = call.context.isEncrypted
        authority = call.request.head.authority ?? ""
        words = call.words
    }

    private var url: String { "\(isEncrypted ? "https" : "http")://\(authority)/dav/" }

    /// The form of the address that commands of Windows take (UNC). Nil for an IPv6 address, which has none.
    private var networkPath: String? {
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        let port = parts.count == 2 ? "@\(parts[1])" : ""
        return "\\\\\(host)\(isEncrypted ? "@SSL" : "")\(port)\\DavWWWRoot\\dav"
    }

    /// For a POSIX shell.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    var model: PageModel {
        let characters = added.characters
        let remote = [("url", url), ("vendor", "other"), ("user", user), ("pass", characters)]
            .map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
        var model: PageModel = [
            "label": added.record.label, "password": characters, "url": url,
            "rclone": "rclone config create fundmail webdav \(remote)",
        ]
        if let networkPath {
            model["networkPath"] = networkPath
            model["netUse"] = "net use * \(networkPath) /user:\(user)"
        }
        // Three lines, to be copied from the program that reads the code.
        if let code = try? QRCode("\(url)\n\(user)\n\(characters)") {
            model["qr"] = code.model(label: words("app.code"))
        }
        return model
    }
}
