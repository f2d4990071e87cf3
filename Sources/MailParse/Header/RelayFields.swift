import FundCore

/// Finds out from a header whether `From` names a service that passes on mail of others.
struct RelayFields {
    private var isCertified = false
    private var isJournal = false
    /// A list or group distributed it.
    private var isOfList = false
    /// A field stands in it that bulk mail of one sender has, too (`List-Unsubscribe`): a hint, and no more.
    private var mayBeOfList = false
    /// A field of lists stands in it, whichever.
    private(set) var hasListField = false
    /// Id of the list, in lower case: `owners.groups.example.org` of the list owners@groups.example.org (RFC 2919 §2).
    private var listID: String?
    /// Addresses of the list itself.
    private var listAddresses: Set<String> = []
    /// `X-Original-From` and `X-Original-Sender`, which groups write beside an address of their own; the first counts.
    private var original: String?
    private var replyTo: [String] = []

    /// Takes any field.
    ///
    /// - Parameter addresses: reads the value as a list of addresses.
    mutating func take(_ field: HeaderBlock.Field, _ addresses: ([UInt8]) -> AddressField) {
        switch field.name {
        case "x-trasporto", "x-ricevuta": isCertified = true
        case "x-ms-journal-report": isJournal = true
        case "list-id":
            (isOfList, hasListField) = (true, true)
            listID = Self.listID(in: field.value)
        case "x-beenthere", "mailing-list", "list-post":
            (isOfList, hasListField) = (true, true)
            listAddresses.formUnion(Self.addressTexts(in: field.value))
        // Fields that tell nothing about the author: of lists, of those who pass mail on, and of bulk mail.
        case "x-loop", "x-mailing-list", "x-google-group-id", "x-mailman-version", "x-listname", "feedback-id":
            hasListField = true
        case "x-original-from", "x-original-sender": original = original ?? Self.only(addresses(field.value))
        case "reply-to": replyTo += addresses(field.value).addresses.map(\.address)
        default:
            // Nearly every field is excluded by its first letter.
            guard field.name.utf8.first == UInt8(ascii: "l"), field.name.hasPrefix("list-") else { return }
            hasListField = true
            guard Self.commandFields.contains(field.name) else { return }
            mayBeOfList = true
            listAddresses.formUnion(Self.addressTexts(in: field.value).compactMap(Self.withoutCommand))
        }
    }

    /// Fields with addresses to which commands for a list are sent (RFC 2369).
    private static let commandFields: Set<String> = [
        "list-unsubscribe", "list-subscribe", "list-help", "list-owner", "list-archive",
    ]

    /// The service that the header names; nil where it names a person.
    ///
    /// - Parameter precedence: the value of that field, by which lists mark what they distribute.
    func relay(from: [AddressField], precedence: String?) -> RelayedMail? {
        if isJournal { return RelayedMail(kind: .journal) }
        guard let sender = from.first?.addresses.first else { return nil }
        let address = EmailAddress(sender.address)
        let answers = replyTo.count == 1 ? replyTo.first : nil
        func other(_ text: String?) -> EmailAddress? {
            text.flatMap { EmailAddress($0) }.flatMap { author in
                author == address || isAddressOfList(author) ? nil : author
            }
        }
        let author = other(original) ?? other(answers)
        if isCertified { return RelayedMail(kind: .certified, author: other(answers)?.description) }
        let isOfList = isOfList || precedence == "list"
        guard isOfList || mayBeOfList || author != nil else { return nil }
        let isVia = sender.displayName.map { Self.names(via: $0) } ?? false
        let isRewritten =
            isVia || isOfList && (other(original) != nil || address.map(isAddressOfList) ?? false)
            || isOfList && address.map { sender in replyTo.contains { answersElsewhere($0, than: sender) } } ?? false
        return isRewritten ? RelayedMail(kind: .group, author: author?.description) : nil
    }

    private func isAddressOfList(_ address: EmailAddress) -> Bool {
        let text = address.description
        return listAddresses.contains(text) || text.replacing("@", with: ".") == listID
    }

    /// Whether answers go to a person elsewhere, and not to whom a list names in `From`: that is an address at the list
    /// then. The id of a list need not be made of its address; mostly it begins like it, or is in the same domain.
    private func answersElsewhere(_ answers: String, than sender: EmailAddress) -> Bool {
        guard let author = EmailAddress(answers), author != sender, !isAddressOfList(author) else { return false }
        if listID?.hasPrefix(sender.localPart + ".") ?? false { return true }
        let isAtList =
            listID == sender.domain || listID?.hasSuffix("." + sender.domain) ?? false
            || listAddresses.contains { $0.hasSuffix("@" + sender.domain) }
        return isAtList && author.domain != sender.domain
    }

    /// Text between the angle brackets of a `List-Id`.
    private static func listID(in value: some Sequence<UInt8>) -> String? {
        let text = String(decoding: Array(value), as: UTF8.self).lowercased()
        return text.split(separator: "<").last?.split(separator: ">").first.map { $0.filter { !$0.isWhitespace } }
    }

    /// `team@lists.example.org` of `team-leave@lists.example.org` and `team+unsubscribe@lists.example.org`; nil of an
    /// address to which no commands for a list are sent: that may be its owner's.
    private static func withoutCommand(_ address: String) -> String? {
        guard let at = address.lastIndex(of: "@"), let end = address[..<at].lastIndex(where: { "-+".contains($0) }),
            end > address.startIndex, commands.contains(String(address[address.index(after: end)..<at]))
        else { return nil }
        return String(address[..<end] + address[at...])
    }

    private static let commands: Set<String> = [
        "request", "leave", "join", "subscribe", "unsubscribe", "help", "owner",
    ]

    /// Whether a name is like `'Ann Archer' via Owners`, as groups and Mailman write it.
    private static func names(via name: String) -> Bool {
        let words = name.lowercased().split(whereSeparator: \.isWhitespace)
        return words.dropFirst().dropLast().contains("via")
    }

    private static func only(_ field: AddressField) -> String? {
        field.addresses.count == 1 ? field.addresses.first?.address : nil
    }

    /// Addresses in a value like `list owners@groups.example.org; contact …`, `<mailto:team@lists.example.org>`: each
    /// word that is an address.
    private static func addressTexts(in value: [UInt8]) -> [String] {
        String(decoding: value, as: UTF8.self).split { " \t\r\n<>,;?".contains($0) }.compactMap { word in
            EmailAddress(String(word.lowercased().hasPrefix("mailto:") ? word.dropFirst(7) : word)).map(\.description)
        }
    }
}
