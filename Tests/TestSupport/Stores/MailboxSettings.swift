internal import Foundation

/// One mailbox of a test server, as `fundmail.yaml` names it.
package struct MailboxSettings: Sendable {
    package enum Scheme: String, CaseIterable, Sendable { case imaps, imap, pop3s, pop3 }

    package var name: String
    package var url: String
    /// `password: sesame` unless told otherwise.
    package var login = "password: \(DovecotServer.password)"
    package var after = "delete"
    /// Further lines, such as `interval: 1s`.
    package var lines: [String] = ["trust: {require: none}"]
    /// File of the test authority unless told otherwise; nil for the system's.
    package var caFile: String?

    package init(_ name: String, url: String, after: String = "delete") throws {
        (self.name, self.url, self.after) = (name, url, after)
        caFile = try TestAuthority.shared.get().caFile
    }

    /// The mailbox of `user`, `name` unless told otherwise, at `server`.
    package init(
        _ name: String, _ scheme: Scheme = .imaps, at server: DovecotServer, user: String? = nil,
        after: String = "delete"
    ) throws {
        let port =
            switch scheme {
            case .imaps: server.ports.imaps
            case .imap: server.ports.imap
            case .pop3s: server.ports.pop3s
            case .pop3: server.ports.pop3
            }
        try self.init(name, url: "\(scheme.rawValue)://\(user ?? name)@localhost:\(port)", after: after)
    }

    fileprivate var yaml: String {
        let authority = caFile.map { ["tls_ca_file: \($0)"] } ?? []
        let all = ["name: \(name)", "url: \(url)", login, "after: \(after)"] + authority + lines
        return "  - " + all.joined(separator: "\n    ") + "\n"
    }
}

extension ReplayStore {
    /// Writes a configuration with these mailboxes. `others` are further lines at its top level.
    package func configure(_ mailboxes: MailboxSettings..., others: String = "") throws {
        try configure(mailboxes, others: others)
    }

    package func configure(_ mailboxes: [MailboxSettings], others: String = "") throws {
        let text = "store: ./store\n\(others)\nmailboxes:\n" + mailboxes.map(\.yaml).joined()
        try TestFile.write(text, to: configuration)
    }
}

extension CrashMail.Message {
    /// With CRLF line ends: Dovecot serves these very bytes.
    package var wireBytes: [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if byte == 10, result.last != 13 { result.append(13) }
            result.append(byte)
        }
        return result
    }
}
