/// Names of header fields that may differ between two copies of a message. Authors write none of them.
enum TraceFieldNames {
    static func contains(_ name: ArraySlice<UInt8>) -> Bool {
        guard let first = name.first else { return false }
        // First letter and length exclude nearly every field.
        let shape = Shape(first: first | 0x20, count: name.count)
        let isKnownShape = shapes.contains(shape)
        guard isKnownShape || shape.first == UInt8(ascii: "x") else { return false }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        return isKnownShape && names.contains(text) || prefixes.contains(where: text.hasPrefix)
    }

    private static let names: Set<String> = [
        "return-path", "received", "x-received", "delivered-to", "x-delivered-to", "x-original-to", "envelope-to",
        "x-envelope-from", "x-envelope-to", "received-spf", "authentication-results", "x-authentication-results",
        "arc-seal", "arc-message-signature", "arc-authentication-results", "delivery-date", "x-spam-checker-version",
        "x-spam-flag", "x-spam-level", "x-spam-report", "x-spam-score", "x-spam-status", "x-virus-scanned",
        "x-virus-status", "x-fetched-by",
        // mbox and Maildir stores
        "status", "x-status", "x-keywords", "x-uid", "x-uidl", "x-imap", "x-imapbase", "x-mozilla-status",
        "x-mozilla-status2", "x-mozilla-keys", "content-length", "lines", "x-gmail-labels", "x-gm-thrid",
        // mbsync's mark of a message that it copies
        "x-tuid",
        // what delivery agents and filters add
        "authentication-results-original", "x-sieve", "x-sieve-redirected-from", "x-resolved-to",
        "x-original-delivered-to", "x-quarantine-id", "x-amavis-alert", "x-bogosity", "x-antivirus",
        "x-antivirus-status", "x-microsoft-antispam", "x-forefront-antispam-report", "x-eopattributedmessage",
        "x-ms-exchange-inbox-rules-loop", "x-rcpt-to", "x-getmail-retrieved-from-mailbox",
        // what mail programs note in their folders
        "x-account-key", "x-kmail-filtered", "x-kmail-mdn-sent", "x-kmail-signatureactionenabled",
        "x-kmail-signaturestate", "x-kmail-encryptionstate", "x-kmail-encryptactionenabled", "x-kmail-identity-fcc",
        "x-offlineimap", "x-gm-msgid", "x-gm-spam", "x-gm-phishy", "x-gmail-fetch-info", "x-gmail-received",
    ]

    /// Families of names that one program writes, and no author.
    private static let prefixes = [
        "x-mozilla-status", "x-evolution", "x-getmail-", "x-offlineimap-", "x-mailstore-", "x-spam-", "x-spamd-",
        "x-rspamd-", "x-dspam-", "x-crm114-", "x-ms-exchange-organization-", "x-ms-exchange-transport-",
        "x-ms-exchange-crosstenant-", "x-microsoft-antispam-", "x-claws-", "x-apple-", "x-pm-", "x-qmail-scanner",
        "x-dovecot-", "x-mdremoteip", "x-original-authentication-results", "x-google-smtp-source",
    ]

    private struct Shape: Hashable {
        var first: UInt8
        var count: Int
    }

    private static let shapes = Set(
        names.map { Shape(first: $0.utf8.first ?? 0, count: $0.utf8.count) })
}
