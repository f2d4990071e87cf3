/// Names of header fields that may differ between two copies of a message. Authors write none of them.
enum TraceFieldNames {
    /// Which fingerprints leave a field out. Stores hold those of the first revision, which never changes.
    enum Revision { case first, present }

    /// Nil for a field that stays in.
    static func revision(leavingOut name: ArraySlice<UInt8>) -> Revision? {
        guard let first = name.first else { return nil }
        // First letter and length exclude nearly every field.
        let shape = Shape(first: first | 0x20, count: name.count)
        let isKnownShape = shapes.contains(shape)
        guard isKnownShape || shape.first == UInt8(ascii: "x") else { return nil }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        if isKnownShape {
            if inFirst.contains(text) { return .first }
            if inPresent.contains(text) { return .present }
        }
        return prefixes.contains(where: text.hasPrefix) ? .present : nil
    }

    private static let inFirst: Set<String> = [
        "return-path", "received", "x-received", "delivered-to", "x-delivered-to", "x-original-to", "envelope-to",
        "x-envelope-from", "x-envelope-to", "received-spf", "authentication-results", "x-authentication-results",
        "arc-seal", "arc-message-signature", "arc-authentication-results", "delivery-date", "x-spam-checker-version",
        "x-spam-flag", "x-spam-level", "x-spam-report", "x-spam-score", "x-spam-status", "x-virus-scanned",
        "x-virus-status", "x-fetched-by",
        // mbox and Maildir stores
        "status", "x-status", "x-keywords", "x-uid", "x-uidl", "x-imap", "x-imapbase", "x-mozilla-status",
        "x-mozilla-status2", "x-mozilla-keys", "content-length", "lines", "x-gmail-labels", "x-gm-thrid",
    ]

    private static let inPresent: Set<String> = [
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
        inFirst.union(inPresent).map { Shape(first: $0.utf8.first ?? 0, count: $0.utf8.count) })
}
