/// A person or a service to whom a letter goes: an address that every server takes, and the name that stands before it.
package struct Addressee: Sendable, Hashable {
    /// The name as it was typed, in one line; nil for an address alone.
    package var name: String?
    /// `local@domain` in ASCII: the local part as it was typed, the domain in lower-case A-labels.
    package let address: String

    /// RFC 5321 §4.5.3.1.1.
    private static let maxLocalBytes = 64
    /// Limit of a name: longer ones are no names, and headers have to hold them.
    private static let maxNameBytes = 200

    /// Nil unless `address` is an addr-spec with a local part of `atext` and dots (RFC 5322 §3.2.3): quoted local parts
    /// and those beyond ASCII are refused by many servers.
    package init?(name: String? = nil, address: String) {
        guard let parsed = EmailAddress(address), let at = address.utf8.lastIndex(of: .at) else { return nil }
        let local = address[..<at]
        guard local.utf8.count <= Self.maxLocalBytes, local.utf8.allSatisfy(Self.isAtomText) else { return nil }
        self.address = "\(local)@\(parsed.domain)"
        let label = (name ?? "").label.trimmed
        self.name = label.hasVisibleScalar ? label.prefix(bytes: Self.maxNameBytes) : nil
    }

    /// The form in which addresses are compared.
    package var key: String { EmailAddress(address)?.description ?? address }

    /// The person as address fields show them, which `AddressList` reads again: `"Lee, Ann" <ann@corp.example>`.
    package var text: String {
        guard let name else { return address }
        let isPlain = name.utf8.allSatisfy {
            $0 >= 0x80 || ASCII.isAlphanumeric($0) || $0 == .space || "-._'".utf8.contains($0)
        }
        let shown =
            isPlain && !name.unicodeScalars.contains(where: AddressList.isSeparator)
            ? name
            : "\"\(name.replacing(scalar: "\\", with: #"\\"#).replacing(scalar: "\"", with: #"\""#))\""
        return "\(shown) <\(address)>"
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~.".utf8.contains(byte)
    }
}

/// The people of one address field, as a person types or pastes them: `Ann <ann@corp.example>, bob@corp.example`.
/// Between two stands a comma, a semicolon or a line end, of any width; between addresses without names also a blank.
package struct AddressList: Sendable, Hashable {
    /// Limit of what is read of a field, in bytes.
    package static let maxBytes = 32 * 1024

    /// Each once, in the order of the text.
    package let people: [Addressee]

    /// Throws `AddressListError` for the first part that is no address. An empty text is an empty list.
    package init(_ text: String) throws(AddressListError) {
        guard text.utf8.count <= Self.maxBytes else { throw AddressListError(.tooLong, in: "") }
        var people: [Addressee] = []
        var keys: Set<String> = []
        for part in try Self.parts(text) {
            for person in try Self.people(part) where keys.insert(person.key).inserted { people.append(person) }
        }
        self.people = people
    }

    package init(_ people: [Addressee]) { self.people = people }

    /// The list as a field shows it.
    package var text: String { people.map(\.text).joined(separator: ", ") }

    /// Whether a character divides the people of a list.
    static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { ",;，；、\n\r".unicodeScalars.contains(scalar) }

    /// The text between separators that stand neither in quotes nor in angle brackets.
    private static func parts(_ text: String) throws(AddressListError) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var (isQuoted, isEscaped, isBracketed) = (false, false, false)
        for scalar in text.unicodeScalars {
            if isQuoted {
                part.append(scalar)
                if !isEscaped, scalar == "\"" { isQuoted = false }
                isEscaped = !isEscaped && scalar == "\\"
            } else if !isBracketed, isSeparator(scalar) {
                parts.append(String(part))
                part = String.UnicodeScalarView()
            } else {
                isQuoted = scalar == "\"" && !isBracketed
                isBracketed = scalar == "<" || (isBracketed && scalar != ">")
                part.append(scalar)
            }
        }
        parts.append(String(part))
        return parts.map { $0.trimmed }.filter { !$0.isEmpty }
    }

    private static func people(_ part: String) throws(AddressListError) -> [Addressee] {
        guard !part.utf8.contains(where: { $0 < .space || $0 == 0x7F }) else {
            throw AddressListError(.control, in: part)
        }
        if part.utf8.last == .greaterThan, let bracket = part.utf8.lastIndex(of: .lessThan) {
            let address = String(part[part.index(after: bracket)...].dropLast()).trimmed
            return [try person(name: unquoted(part[..<bracket].trimmed), address, in: part)]
        }
        // Contacts that were copied from a table, or an address alone.
        let words = part.split(separator: " ").map(String.init)
        guard words.count == 1 || words.allSatisfy({ $0.utf8.contains(.at) }) else {
            throw AddressListError(.notAnAddress, in: part)
        }
        return try words.map { word throws(AddressListError) in try person(name: nil, word, in: word) }
    }

    private static func person(
        name: String?, _ address: String, in part: String
    ) throws(AddressListError) -> Addressee {
        if let person = Addressee(name: name, address: address) { return person }
        let local = address.utf8.prefix { $0 != .at }
        let isBeyondASCII = EmailAddress(address) != nil && !local.allSatisfy { $0 < 0x80 }
        throw AddressListError(isBeyondASCII ? .beyondASCII : .notAnAddress, in: part)
    }

    /// A name without the quotes around it (RFC 5322 §3.2.4).
    private static func unquoted(_ name: String) -> String {
        guard name.utf8.count >= 2, name.utf8.first == .quote, name.utf8.last == .quote else { return name }
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in name.unicodeScalars.dropFirst().dropLast() {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
            } else {
                result.append(scalar)
                isEscaped = false
            }
        }
        return String(result)
    }
}

/// A part of an address field that is no address.
package struct AddressListError: OperationalError, Sendable, Hashable, CustomStringConvertible {
    /// The mistake. The raw values stand in the table of the pages' words, behind `problem.`, with the part as `{0}`.
    package enum Problem: String, Sendable, CaseIterable {
        case notAnAddress = "address-wrong"
        /// Letters beyond ASCII in front of the `@`, which most servers do not take (RFC 6531).
        case beyondASCII = "address-beyond-ascii"
        case control = "address-control"
        /// The whole field has more than `AddressList.maxBytes`.
        case tooLong = "addresses-too-long"
    }

    package var problem: Problem
    /// The part that is meant, in one line and cut where it is long; hostile.
    package var part: String

    private static let maxPartBytes = 120

    init(_ problem: Problem, in part: String) {
        self.problem = problem
        self.part = String(part.label.prefix(bytes: Self.maxPartBytes))
    }

    package var condition: ErrorCondition { .input }
    package var isTemporary: Bool { false }

    package var description: String {
        switch problem {
        case .notAnAddress: "“\(part)” is no address, as ann@example.com is one"
        case .beyondASCII: "“\(part)” has letters beyond ASCII in front of the @, which most servers do not take"
        case .control: "“\(part)” holds a control character"
        case .tooLong: "the list of addresses is too long"
        }
    }
}
