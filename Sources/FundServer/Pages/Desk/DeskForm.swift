internal import FundCore
internal import Ingest

/// The acts that a message, or all of its cause, can have: buttons of one form.
struct DeskForm {
    let record: MisrouteRecord
    let offers: [FilingOffer]
    var doubt: SenderDoubt?
    /// All senders that the mail names.
    var senders: [String] = []
    /// Whether it is about all messages of a cause, and stands alone.
    var isCard = false
    let call: PageCall

    private var words: Words { call.words }

    var model: PageModel {
        let choices = DeskChoices(record)
        var model: PageModel = [
            "delays": Self.delays.enumerated().map { index, days in
                ["days": "\(days)", "text": words("days.\(days)"), "isFirst": index == 0] as PageModel
            },
            "isCard": isCard, "isUnproven": choices.proposal == .putAside,
            "isRaw": [.tooLarge, .tooComplex, .unparseable].contains(record.reason),
            "danger": DeskDanger(record: record, doubt: doubt, senders: senders).model(words),
        ]
        guard choices.proposal == .file else { return model }
        model["offers"] = offers.enumerated().map { index, offer in
            [
                "fund": "\(offer.fund.id)", "fundName": offer.fund.name, "hue": FundHue.name(offer.fund.id),
                "isFirst": index == 0, "note": note(of: offer, isFirst: index == 0), "number": "\(index + 1)",
            ] as PageModel
        }
        if let teaching = choices.teaching { model["remember"] = remembering(teaching) }
        let email = words.isolated(record.userEmail ?? "")
        if let tag = choices.newFund { model["create"] = words("desk.create", words.isolated(tag), email) }
        if record.reason == .unknownSender, record.relay != nil {
            model["relay"] = words("desk.ofmany", words.isolated(words.sender(record)))
        }
        if let sender = choices.registration { model["register"] = registration(of: sender) }
        if choices.enablesSender, let user = record.user {
            model["enable"] =
                [
                    "text": words("desk.enable", email), "page": "/office/people/\(user)",
                    "again": words("desk.enable.again", email), "button": words("desk.enableall", email),
                ] as PageModel
        }
        return model
    }

    /// Days for which a message can be put off; the first by a key.
    private static let delays = [1, 3, 7, 30]

    /// Whose fund it is, where that is not the sender, and the evidence for the first offer. Nil for neither.
    private func note(of offer: FilingOffer, isFirst: Bool) -> String? {
        var parts = offer.owner.id == record.user ? [] : [words.isolated(offer.owner.name ?? offer.owner.email)]
        if isFirst { parts += offer.evidence.compactMap { words.sentence($0, call.formats) } }
        return parts.isEmpty ? nil : parts.joined(separator: words("list.comma"))
    }

    /// The rule that may be learnt, with its sender and fund. An address is learnt only where that is ticked.
    private func remembering(_ teaching: DeskChoices.Teaching) -> PageModel {
        let first = offers.first
        switch teaching {
        case .alias(let tag):
            let (tag, sender) = (words.isolated("[\(tag)]"), words.isolated(record.userEmail ?? words.sender(record)))
            let text =
                first.map { words("remember.alias", tag, words.isolated("[\($0.fund.name)]"), sender) }
                ?? words("remember.alias.any", tag, sender)
            return ["text": text, "isChosen": true]
        case .address(let sender):
            let sender = words.isolated(sender)
            let text =
                first.map {
                    words(
                        "remember.address", sender, words.isolated($0.owner.name ?? $0.owner.email),
                        words.isolated("[\($0.fund.name)]"))
                } ?? words("remember.address.any", sender)
            return ["text": text, "isChosen": false]
        }
    }

    /// Whose address it may be: the owners of the funds that are offered, and whom one types.
    private func registration(of sender: String) -> PageModel {
        var owners: [User] = []
        for offer in offers where !owners.contains(where: { $0.id == offer.owner.id }) { owners.append(offer.owner) }
        var model: PageModel = [
            "title": words("desk.register", words.isolated(sender)),
            "people": owners.map { owner in
                // Names alone may be those of two people.
                let names = [owner.name, owner.email].compactMap(\.self).joined(separator: " · ")
                return [
                    "user": "\(owner.id)",
                    "text": words("desk.register.person", words.isolated(names)),
                ] as PageModel
            },
        ]
        if FreeMail.has(sender) { model["warning"] = words("remember.freemail") }
        return model
    }
}
