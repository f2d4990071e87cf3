internal import FundCore

/// Recognises reports about letters that people wrote: mail to the address that was the return path of one letter, by a
/// mail server. What a person's program answers by itself (RFC 3834) is none, although it goes there, too.
struct BounceReader {
    /// Addresses of a message that are looked at.
    private static let maxAddresses = 40
    /// Lines of a text in which a reason is looked for.
    private static let maxLines = 200
    /// Bytes of a reason.
    private static let maxReasonBytes = 500

    /// Gives the attempt of which an address is the return path; nil for another address.
    let attempt: (_ address: String) throws -> OutboxAttempt?

    /// The report that a message is; nil for other mail.
    func bounce(in parsed: ParseResult) throws -> Bounce? {
        guard let header = parsed.header, Self.mayBeReport(header) else { return nil }
        let addresses = header.envelopeRecipients + header.to.map(\.address)
        let found = try addresses.prefix(Self.maxAddresses).lazy.compactMap { try self.attempt($0) }.first
        guard let attempt = found else { return nil }
        if case .message(let message) = parsed, let entry = message.report?.worst {
            let finding = Bounce.Finding(rawValue: entry.action) ?? .other
            return Bounce(
                attempt: attempt, finding: finding, status: entry.status.isEmpty ? nil : entry.status,
                reason: Self.reason(entry.diagnostic ?? "", or: finding))
        }
        return plain(attempt, header, parsed)
    }

    /// Whether a mail server wrote it by itself, and not the recipient's program.
    private static func mayBeReport(_ header: MessageHeader) -> Bool {
        let marks = header.automatic
        if marks.reportType == "delivery-status" { return true }
        if marks.reportType != nil { return false }
        if header.from.first?.addresses.first.map({ isDaemon($0.address) }) == true { return true }
        let isAnswer = marks.autoSubmitted == "auto-replied" || !marks.responderFields.isEmpty
        return marks.hasNullReturnPath && !isAnswer
    }

    /// Names under which mail servers write (RFC 5321 §4.5.1, and by custom).
    private static func isDaemon(_ address: String) -> Bool {
        ["mailer-daemon", "postmaster", "mail-daemon"].contains(ASCII.lowercased(address.utf8.prefix { $0 != .at }))
    }

    /// A report without RFC 3464, as qmail and Exim write them.
    private func plain(_ attempt: OutboxAttempt, _ header: MessageHeader, _ parsed: ParseResult) -> Bounce {
        let subject = (header.subject ?? "").prefix(bytes: Self.maxReasonBytes).lowercased()
        let isFinal = header.automatic.responderFields.contains("x-failed-recipients")
        let isDelay = !isFinal && ["delayed", "warning:"].contains { subject.utf8.count > 0 && subject.contains($0) }
        let finding = isDelay ? Bounce.Finding.delayed : .failed
        var found: (line: String, status: String?) = ("", nil)
        if case .message(let message) = parsed {
            for line in (message.text ?? "").split(whereSeparator: \.isNewline).prefix(Self.maxLines) {
                guard let status = Self.status(in: line) else { continue }
                found = (String(line), status)
                break
            }
        }
        return Bounce(
            attempt: attempt, finding: finding, status: found.status, reason: Self.reason(found.line, or: finding))
    }

    /// The first code of a failure in a line (RFC 3463 §2): `5.1.1`.
    private static func status(in line: Substring) -> String? {
        line.utf8.split { !ASCII.isDigit($0) && $0 != .dot }.lazy.compactMap { word in
            let parts = word.split(separator: .dot, omittingEmptySubsequences: false)
            let isCode =
                parts.count == 3 && (Array(parts[0]) == Array("5".utf8) || Array(parts[0]) == Array("4".utf8))
                && parts.dropFirst().allSatisfy { (1...3).contains($0.count) }
            return isCode ? String(decoding: Array(word), as: UTF8.self) : nil
        }.first
    }

    private static func reason(_ text: String, or finding: Bounce.Finding) -> String {
        let line = text.prefix(bytes: 4 * maxReasonBytes).label.prefix(bytes: maxReasonBytes).trimmed
        guard line.isEmpty else { return line }
        switch finding {
        case .failed: return "it came back, and the report does not say why"
        case .delayed: return "it is late, and the report does not say why"
        case .other: return "a mail server reports no trouble"
        }
    }
}
