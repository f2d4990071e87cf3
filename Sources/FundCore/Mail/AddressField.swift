/// One address of an address field (RFC 5322 §3.4 `mailbox`).
package struct NamedAddress: Sendable, Hashable {
    /// Decoded (RFC 2047); only for display, never for identity.
    package var displayName: String?
    /// The addr-spec as sent, comments and folding taken off, nothing decoded.
    package var address: String

    package init(displayName: String? = nil, address: String) {
        self.displayName = displayName
        self.address = address
    }
}

/// One `From` field.
package struct AddressField: Sendable, Hashable {
    package var addresses: [NamedAddress]
    /// `name: a@b, c@d;` (RFC 5322 §3.4 `group`): never one person.
    package var hasGroup: Bool
    /// NUL, bare CR, or text that is no address: mail programs read different senders from it.
    package var isMalformed: Bool
    /// The field decoded for people.
    package var text: String

    package init(addresses: [NamedAddress], hasGroup: Bool = false, isMalformed: Bool = false, text: String = "") {
        self.addresses = addresses
        self.hasGroup = hasGroup
        self.isMalformed = isMalformed
        self.text = text
    }
}
