/// A contact as a file has it, before it is known what becomes of it.
package struct ImportedContact: Sendable, Hashable {
    /// A part of a card for which lists of contacts have no room. The raw values stand in the table of the pages'
    /// words.
    package enum LeftOut: String, Sendable, Hashable, CaseIterable {
        case picture, postalAddress = "postal-address", birthday, website, other
        /// An address that is none.
        case wrongAddress = "wrong-address"
        /// The end of a text that is too long, or entries of which there are too many.
        case excess
    }

    /// The line of the file in which it begins, from 1.
    package var line: Int
    /// The card as `ContactCard.cleaned` gives it.
    package var card: ContactCard
    /// Nil where the file gives none.
    package var uid: String?
    package var leftOut: Set<LeftOut>

    package init(line: Int, card: ContactCard, uid: String? = nil, leftOut: Set<LeftOut> = []) {
        self.line = line
        self.uid = uid.flatMap { $0.isEmpty || $0.utf8.count > ContactLimits.maxLineBytes ? nil : $0.label }
        self.leftOut = leftOut
        self.card = ContactCard()
        self.card = kept(card.cleaned)
    }

    /// The card without what makes it impossible to keep.
    private mutating func kept(_ card: ContactCard) -> ContactCard {
        var kept = card
        kept.addresses = card.addresses.filter { EmailAddress($0.value) != nil }
        if kept.addresses.count < card.addresses.count { leftOut.insert(.wrongAddress) }
        let withoutWrong = kept
        for line in [\ContactCard.name, \.organisation, \.department, \.title] { kept[keyPath: line].cut() }
        kept.addresses = Self.first(kept.addresses, by: \.value)
        kept.phones = Self.first(kept.phones, by: \.value)
        kept.groups = Self.first(kept.groups, by: \.self)
        kept.note = kept.note.prefix(bytes: ContactLimits.maxNoteBytes)
        if kept != withoutWrong { leftOut.insert(.excess) }
        // The name may have been a wrong address.
        return kept.cleaned
    }

    private static func first<Entry>(_ entries: [Entry], by text: (Entry) -> String) -> [Entry] {
        Array(
            entries.filter { text($0).utf8.count <= ContactLimits.maxLineBytes }.prefix(ContactLimits.maxEntries))
    }
}

extension String {
    fileprivate mutating func cut() { self = prefix(bytes: ContactLimits.maxLineBytes) }
}
