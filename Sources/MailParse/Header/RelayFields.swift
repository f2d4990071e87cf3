import FundCore

/// Finds out from a header whether `From` names a service that passes on mail of others.
struct RelayFields {
    private var isCertified = false
    private var isJournal = false
    private var isOfList = false
    /// In lower case: `owners.groups.example.org` of the list owners@groups.example.org (RFC 2919 §2).
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
            isOfList = true
            listID = Self.listID(in: field.value)
        case "x-beenthere", "mailing-list", "list-post":
            isOfList = true
            listAddresses.formUnion(Self.addressTexts(in: field.value))
        case "x-original-from", "x-original-sender": original = original ?? Self.only(addresses(field.value))
        case "reply-to": replyTo += addresses(field.value).addresses.map(\.address)
        default: break
        }
    }

    /// Nil where the header names a person.
    func relay(from: [AddressField]) -> RelayedMail? {
        if isJournal { return RelayedMail(kind: .journal) }
        guard let sender = from.first?.addresses.first else { return nil }
        let address = EmailAddress(sender.address)
        let answers = replyTo.count == 1 ? replyTo.first : nil
        func other(_ text: String?) -> String? {
            text.flatMap { EmailAddress($0) }.flatMap { author in
                author == address || listAddresses.contains(author.description) ? nil : author.description
            }
        }
        if isCertified { return RelayedMail(kind: .certified, author: other(answers)) }
        guard isOfList else { return nil }
        let isRewritten =
            other(original) != nil || listAddresses.contains(address?.description ?? "")
            || address.map { $0.description.replacing("@", with: ".") == listID } ?? false
            || sender.displayName.map { Self.names(via: $0) } ?? false
        return isRewritten ? RelayedMail(kind: .group, author: other(original) ?? other(answers)) : nil
    }

    /// What stands between the angle brackets of a `List-Id`.
    private static func listID(in value: some Sequence<UInt8>) -> String? {
        let text = String(decoding: Array(value), as: UTF8.self).lowercased()
        return text.split(separator: "<").last?.split(separator: ">").first.map { $0.filter { !$0.isWhitespace } }
    }

    /// `'Ann Archer' via Owners`, as groups and Mailman write it.
    private static func names(via name: String) -> Bool {
        let words = name.lowercased().split(whereSeparator: \.isWhitespace)
        return words.dropFirst().dropLast().contains("via")
    }

    private static func only(_ field: AddressField) -> String? {
        field.addresses.count == 1 ? field.addresses.first?.address : nil
    }

    /// `list owners@groups.example.org; contact …`, `<mailto:team@lists.example.org>`: each word that is an address.
    private static func addressTexts(in value: [UInt8]) -> [String] {
        String(decoding: value, as: UTF8.self).split { " \t\r\n<>,;?".contains($0) }.compactMap { word in
            EmailAddress(String(word.lowercased().hasPrefix("mailto:") ? word.dropFirst(7) : word)).map(\.description)
        }
    }
}
