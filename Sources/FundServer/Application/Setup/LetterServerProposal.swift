/// The server for letters as an administrator describes it in a browser, before it is known to take any.
package struct LetterServerProposal: Sendable {
    /// `smtps`, `smtp`, or `local` for one on this machine without encryption.
    package var scheme = "smtps"
    package var host = ""
    /// 1...65535; nil is the protocol's own.
    package var port: Int?
    /// Empty: the server takes letters without a login.
    package var user = ""
    package var password = ""
    /// The sender of every letter: `Fundmail <funds@corp.example>`.
    package var from = ""
    /// Certificate of a private authority, PEM; empty for the system's.
    package var authority = ""
    /// Gets a letter as part of the test; nil sends none.
    package var recipient: String?

    package init() {}
}

/// A field of the form that cannot be used as it is. The raw values are the fields' names.
package enum LetterServerField: String, Sendable, CaseIterable {
    case host, port, user, password, from, authority
    /// The configuration names a server already.
    case present
}
