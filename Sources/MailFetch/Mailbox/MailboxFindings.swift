/// What a look at a mailbox found.
package struct MailboxFindings: Sendable {
    /// When the server's certificate expires, seconds since 1970; nil without TLS.
    package var certificateExpiresAt: Int64?
    /// What the server says it can do, in capitals: IMAP's CAPABILITY, or the names of POP3's CAPA.
    package var capabilities: Set<String> = []
    /// Messages in the mailbox.
    package var messages = 0
    /// What we may do in the folder, a letter each (RFC 4314 §2.1); nil when the server does not say.
    package var rights: String?
    /// Folders that filed mail is to be moved to, and that do not exist.
    package var missingFolders: [String] = []
    /// The `Authentication-Results` fields of the newest message, unfolded; nil when there is no message to look at.
    package var authenticationResults: [String]?

    package init() {}
}
