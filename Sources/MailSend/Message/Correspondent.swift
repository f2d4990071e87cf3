internal import FundCore

/// A person or service of an address field: the address, and the name that is shown.
package struct Correspondent: Sendable, Hashable {
    package var name: String?
    package var address: OutgoingAddress

    package init(name: String? = nil, address: OutgoingAddress) {
        self.name = name
        self.address = address
    }

    /// Reads `Fundmail <funds@corp.example>`, `"Fundmail" <…>` or an address alone.
    ///
    /// - Parameter field: names the text in an error.
    /// - Throws: `control`, `notAnAddress` or `addressBeyondASCII`.
    package init(_ text: String, field: String) throws(MessageError) {
        guard text.utf8.last == .greaterThan, let bracket = text.utf8.lastIndex(of: .lessThan) else {
            self.init(address: try OutgoingAddress(text, field: field))
            return
        }
        let address = text[text.index(after: bracket)...].dropLast()
        self.init(address: try OutgoingAddress(String(address), field: field))
        var name = text[..<bracket].trimmed
        if name.utf8.count > 2, name.utf8.first == .quote, name.utf8.last == .quote {
            name = String(name.dropFirst().dropLast())
        }
        self.name = name.isEmpty ? nil : try HeaderText.checked(name, field: field)
    }
}
