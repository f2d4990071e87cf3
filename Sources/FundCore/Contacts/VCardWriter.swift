/// Writes contacts as vCard, so that no text of a contact becomes a line or a property of its own.
package struct VCardWriter {
    /// The version of vCard.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        /// RFC 2426: what phones and mail programs read.
        case v3 = "3.0"
        /// RFC 6350.
        case v4 = "4.0"
    }

    package static let contentType = "text/vcard; charset=utf-8"

    /// Bytes of a line without its end (RFC 6350 §3.2).
    private static let maxLineBytes = 75

    package private(set) var bytes: [UInt8] = []
    private let version: Version

    package init(_ version: Version) { self.version = version }

    /// Appends a card.
    /// - Parameter changedAt: nil where it is not known.
    package mutating func add(_ card: ContactCard, uid: String, changedAt: Timestamp?) {
        line("BEGIN", "VCARD")
        line("VERSION", version.rawValue)
        line("PRODID", "-//Fundmail//Contacts//EN")
        line(version == .v3 ? "UID" : "UID;VALUE=text", Self.escaped(uid))
        line("FN", Self.escaped(card.name))
        let name = StructuredName.components(of: card.name)
        line("N", [name.family, name.given, "", "", ""].map(Self.escaped).joined(separator: ";"))
        if !card.organisation.isEmpty || !card.department.isEmpty {
            let units = [card.organisation] + (card.department.isEmpty ? [] : [card.department])
            line("ORG", units.map(Self.escaped).joined(separator: ";"))
        }
        if !card.title.isEmpty { line("TITLE", Self.escaped(card.title)) }
        for entry in card.addresses { line("EMAIL" + types(entry, "INTERNET"), Self.escaped(entry.value)) }
        for entry in card.phones { line("TEL" + types(entry), Self.escaped(entry.value)) }
        if !card.groups.isEmpty { line("CATEGORIES", card.groups.map(Self.escaped).joined(separator: ",")) }
        if !card.note.isEmpty { line("NOTE", Self.escaped(card.note)) }
        if let changedAt { line("REV", Self.stamp(changedAt)) }
        line("END", "VCARD")
    }

    /// The parameter `TYPE` of an entry.
    /// - Parameter type: the one that version 3 has for all of them.
    private func types(_ entry: ContactEntry, _ type: String? = nil) -> String {
        let types = (version == .v3 ? [type].compactMap(\.self) : []) + [entry.kind?.rawValue].compactMap(\.self)
        return types.isEmpty
            ? "" : ";TYPE=" + types.map { version == .v3 ? $0.uppercased() : $0 }.joined(separator: ",")
    }

    /// `20261129T090000Z` (RFC 6350 §4.3.5).
    private static func stamp(_ time: Timestamp) -> String {
        let seconds = Int(clamping: time.rawValue)
        let day = Int((Double(seconds) / Double(CivilDate.secondsPerDay)).rounded(.down))
        let clock = ClockTime(secondOfDay: seconds - day * CivilDate.secondsPerDay)?.text ?? "00:00:00"
        return CivilDate(daysSince1970: day).text.filter { $0 != "-" } + "T" + clock.filter { $0 != ":" } + "Z"
    }

    /// RFC 6350 §3.4. Controls are left out.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\", ",", ";":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Writes a line, folded between two characters (RFC 6350 §3.2).
    private mutating func line(_ name: String, _ value: String) {
        var room = Self.maxLineBytes
        for scalar in "\(name):\(value)".unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            if encoded.count > room {
                bytes += "\r\n ".utf8
                room = Self.maxLineBytes - 1
            }
            bytes += encoded
            room -= encoded.count
        }
        bytes += "\r\n".utf8
    }
}
