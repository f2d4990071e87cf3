/// An addr-spec (RFC 5322 §3.4.1) in the form in which addresses are compared: the domain as lower-case A-labels (RFC
/// 5890), the local part lower-case ASCII and composed (NFC, RFC 6532 §3.1). Nothing is decoded and nothing is
/// width-folded: an address that only looks like a registered one is another address.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    package let localPart: String
    package let domain: String

    /// Nil unless `text` is one addr-spec: a non-empty local part, one `@` that counts, a domain of LDH labels
    /// (U-labels are turned into A-labels, RFC 3492).
    package init?(_ text: String) {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let local = String(text[..<at])
        guard !local.isEmpty, local.utf8.count <= 256, Self.isLocalPart(local) else { return nil }
        guard let domain = DomainName.aLabels(String(text[text.index(after: at)...])) else { return nil }
        self.localPart = ASCII.lowercased(Self.composed(local).utf8)
        self.domain = domain
    }

    private init(localPart: String, domain: String) {
        self.localPart = localPart
        self.domain = domain
    }

    /// The address without `+detail` (RFC 5233), or itself when there is none.
    package func withoutSubaddress(separator: String) -> EmailAddress {
        // By bytes, not by canonical equivalence.
        let local = Array(localPart.utf8)
        guard !separator.isEmpty, let cut = ASCII.firstIndex(of: Array(separator.utf8), in: local), cut > 0
        else { return self }
        return EmailAddress(localPart: String(decoding: local[..<cut], as: UTF8.self), domain: domain)
    }

    package var description: String { "\(localPart)@\(domain)" }

    // Byte by byte: String's == is canonical equivalence, under which some look-alikes are equal to ASCII characters.
    package static func == (a: EmailAddress, b: EmailAddress) -> Bool {
        a.localPart.utf8.elementsEqual(b.localPart.utf8) && a.domain.utf8.elementsEqual(b.domain.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var (local, host) = (localPart, domain)
        local.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        host.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Composed, but for what would turn into ASCII (the Kelvin sign): that only looks alike.
    static func composed(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let isLookAlike = text.unicodeScalars.contains { scalar in
            !scalar.isASCII && String(scalar).nfc.utf8.allSatisfy { $0 < 0x80 }
        }
        return isLookAlike ? text : text.nfc
    }

    /// Printable, no white space or controls, and no second `@` outside a quoted string.
    private static func isLocalPart(_ text: String) -> Bool {
        if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count > 2 {
            return !text.utf8.contains { $0 < 32 || $0 == 127 }
        }
        // Properties of Unicode scalars are slow, and most local parts have none but these.
        if text.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "._-+".utf8.contains($0) }) { return true }
        return !text.unicodeScalars.contains { scalar in
            scalar.value <= 32 || scalar.value == 127 || "\"(),:;<>@[\\]".unicodeScalars.contains(scalar)
                || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
