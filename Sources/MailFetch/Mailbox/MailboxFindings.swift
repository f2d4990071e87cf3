package import FundCore

/// What a look at a mailbox found.
package struct MailboxFindings: Sendable {
    /// When the server's certificate expires, seconds since 1970; nil without TLS.
    package var certificateExpiresAt: Timestamp?
    /// What the server says it can do, in capitals: IMAP's CAPABILITY, or the names of POP3's CAPA.
    package var capabilities: Set<String> = []
    /// Messages in the mailbox.
    package var messages = 0
    /// What we may do in the folder; nil when the server does not say.
    package var rights: MailboxRights?
    /// Folders that mail is to be moved to.
    package var targets: [Target] = []
    /// Room of the account in units of 1,024 octets (RFC 9208); nil when there is no quota.
    package var storage: (used: UInt64, limit: UInt64)?
    /// POP3: the server gives messages names that last (RFC 1939 §7).
    package var hasUIDL = false
    /// The headers of the newest messages as the server sent them, newest first; their beginning, where one is long.
    package var newestHeaders: [[UInt8]] = []

    package struct Target: Sendable, Hashable {
        /// As the server calls it.
        package var name: String
        package var exists: Bool
        /// In the folder; where there is none yet, in the one above it. Nil when the server does not say.
        package var rights: MailboxRights?
    }

    package init() {}
}
