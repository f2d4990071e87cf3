import FundCore

/// Copies of mail that came when fingerprints covered all fields of a header.
extension SQLMailStore {
    /// Limit of the bytes of old mail that are read for one message. Devices that give each of their mails one
    /// Message-ID would have gigabytes read.
    private static let maxComparedBytes: Int64 = 64 << 20

    /// The fingerprint under which a row of that time may hold the message; nil when none can.
    func earlierFingerprint(of message: RoutedMessage) throws -> ContentDigest? {
        guard let last = log.lastEarlierMessage else { return nil }
        let emails = try connection.ask("look for an earlier copy", atOneMoment: true) {
            try StoreFingerprints.earlierEmails(like: message, upTo: last, $0)
        }
        guard let emails else { return nil }
        let earlier = try spool.earlierFingerprint(of: message.spooled)
        guard !emails.contains(where: { $0.fingerprint == earlier }) else { return earlier }
        let sentAt = message.parsed.header?.date
        var left = Self.maxComparedBytes
        let copy = try emails.first { email in
            guard email.sentAt == nil || email.sentAt == sentAt, email.size <= left else { return false }
            left -= email.size
            return try isCopy(email, of: message.spooled)
        }
        return copy?.fingerprint ?? earlier
    }

    /// Whether the raw message of an email in the log is a copy of one that comes now. One that was dropped, or is
    /// damaged, proves nothing.
    private func isCopy(_ email: StoreFingerprints.EarlierEmail, of message: SpooledMessage) throws -> Bool {
        do {
            let content = try log.content(of: email.digest, size: email.size)
            return try spool.fingerprint { try content.read(0..<email.size, $0) } == message.fingerprint
        } catch let error as StoreError where error.code == .corrupted {
            return false
        }
    }
}
