internal import FundCore
internal import MailConnection

/// An address that every server takes, in a command and in a header: RFC 5321 §4.1.2 `Mailbox`, in ASCII.
///
/// It holds no control, no angle bracket, and a blank only in a quoted string: it cannot end a command. The case of the
/// local part is kept, unlike that of an `EmailAddress`, which identifies a person.
package struct OutgoingAddress: Sendable, Hashable, CustomStringConvertible {
    /// `local@domain`.
    package let description: String
    /// Lower-case A-labels, or an address literal.
    package let domain: String

    /// RFC 5321 §4.5.3.1.1.
    private static let maxLocalBytes = 64

    /// Checks `text`; a domain with U-labels becomes one with A-labels.
    ///
    /// - Parameter field: names the text in an error.
    /// - Throws: `control`, `notAnAddress` or `addressBeyondASCII`.
    package init(_ text: String, field: String = "the address") throws(MessageError) {
        guard !text.utf8.contains(where: \.isControl) else {
            throw MessageError(.control, in: field)
        }
        guard let at = text.utf8.lastIndex(of: .at) else { throw MessageError(.notAnAddress, in: field) }
        let local = text[..<at]
        guard let domain = DomainName.aLabels(String(text[text.index(after: at)...])), Self.isDomain(domain) else {
            throw MessageError(.notAnAddress, in: field)
        }
        guard local.utf8.allSatisfy({ $0 < 0x80 }) else { throw MessageError(.addressBeyondASCII, in: field) }
        guard (1...Self.maxLocalBytes).contains(local.utf8.count), Self.isAtoms(local) || Self.isQuoted(local) else {
            throw MessageError(.notAnAddress, in: field)
        }
        self.description = "\(local)@\(domain)"
        self.domain = domain
    }

    /// `atext` of RFC 5322 §3.2.3 and dots, also where the RFC has none: some providers gave such addresses out.
    private static func isAtoms(_ local: Substring) -> Bool {
        local.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~.".utf8.contains($0) }
    }

    /// RFC 5321 §4.1.2 `Quoted-string`, without angle brackets: not every server reads quotes.
    private static func isQuoted(_ local: Substring) -> Bool {
        guard local.utf8.count > 2, local.utf8.first == .quote, local.utf8.last == .quote else { return false }
        var isEscaped = false
        for byte in local.utf8.dropFirst().dropLast() {
            if byte == .lessThan || byte == .greaterThan { return false }
            if isEscaped {
                isEscaped = false
            } else if byte == .backslash {
                isEscaped = true
            } else if byte == .quote {
                return false
            }
        }
        return !isEscaped
    }

    /// A name, or an address literal (RFC 5321 §4.1.3) of digits, letters, dots and colons.
    private static func isDomain(_ domain: String) -> Bool {
        guard domain.utf8.first == UInt8(ascii: "[") else { return true }
        let inner = domain.utf8.dropFirst().dropLast()
        return !inner.isEmpty && inner.allSatisfy { ASCII.isAlphanumeric($0) || $0 == .dot || $0 == .colon }
    }
}
