package import FundCore

/// Findings of a probe of a mailbox.
package struct MailboxFindings: Sendable {
    /// When the server's certificate expires, seconds since 1970; nil without TLS.
    package var certificateExpiresAt: Timestamp?
    /// The server's capabilities, in capitals: IMAP's CAPABILITY, or the names of POP3's CAPA.
    package var capabilities: Set<String> = []
    /// Messages in the mailbox.
    package var messages = 0
    /// Rights of the user in the folder; nil when the server does not say.
    package var rights: MailboxRights?
    /// Folders that mail is to be moved to.
    package var targets: [Target] = []
    /// Storage of the account, in units of 1,024 octets (RFC 9208); nil when there is no quota.
    package var storage: (used: UInt64, limit: UInt64)?
    /// POP3: the server gives messages names that last (RFC 1939 §7).
    package var hasUIDL = false
    /// The headers of the newest messages as the server sent them, newest first; their beginning, where one is long.
    package var newestHeaders: [[UInt8]] = []

    /// See `targets`.
    package struct Target: Sendable, Hashable {
        /// The server's name of it.
        package var name: String
        package var exists: Bool
        /// Rights in the folder, or in the one above it where it does not exist; nil when the server does not say.
        package var rights: MailboxRights?
    }

    /// Messages whose headers are asked for: enough to show how a server marks its mail, at the cost of one round trip.
    static let newestMessages = 10
    /// Bytes of a header that are kept.
    static let maxHeaderBytes = 256 * 1024
}

/// The user's rights in a folder (RFC 4314 §2.1), a letter each.
package struct MailboxRights: Sendable, Hashable {
    package let letters: String
    /// Whether the server knows `k`, `t` and `e`. Then `c` and `d` say nothing: they are listed when any of the rights
    /// that they stood for is given (RFC 4314 §2.1.1). RFC 2086 has only `c` and `d`.
    private let isDivided: Bool

    init(letters: String, capabilities: Set<String>) {
        self.letters = letters
        isDivided = capabilities.contains { $0.hasPrefix("RIGHTS=") } || letters.contains { "kxte".contains($0) }
    }

    private func has(_ right: Character, before: Character) -> Bool { letters.contains(isDivided ? right : before) }

    /// `t`: mark messages as deleted.
    package var mayMarkDeleted: Bool { has("t", before: "d") }
    /// `e`: remove what is marked.
    package var mayExpunge: Bool { has("e", before: "d") }
    /// `k`: make folders below it.
    package var mayCreate: Bool { has("k", before: "c") }
    /// `w`: set flags other than seen and deleted.
    package var mayFlag: Bool { letters.contains("w") }
    /// `i`: bring messages in.
    package var mayInsert: Bool { letters.contains("i") }
}
