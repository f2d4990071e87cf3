internal import FundCore
internal import Ingest

/// The acts that a message, or all of its cause, can have: buttons of one form.
struct DeskForm {
    let record: MisrouteRecord
    let offers: [FilingOffer]
    let call: PageCall

    private var words: Words { call.words }

    var model: PageModel {
        var model: PageModel = [
            "offers": offers.enumerated().map { index, offer in
                let evidence = offer.evidence.compactMap { words.evidence($0, call.formats) }
                return [
                    "fund": "\(offer.fund.id)", "fundName": offer.fund.name, "hue": FundHue.name(offer.fund.id),
                    "owner": offer.owner.name ?? offer.owner.email,
                    "evidence": evidence.isEmpty ? nil : evidence.joined(separator: ", "),
                    "number": "\(index + 1)",
                ] as PageModel
            },
            "hasOffers": !offers.isEmpty,
            "isUnproven": record.isSenderUnproven || record.reason == .ambiguousSender,
            "isRaw": [.tooLarge, .tooComplex, .unparseable].contains(record.reason),
        ]
        if let first = offers.first {
            model["first"] = ["fund": "\(first.fund.id)", "fundName": first.fund.name] as PageModel
        }
        let choices = DeskChoices(record)
        switch choices.teaching {
        case .alias(let tag):
            model["remember"] =
                ["text": words("remember.alias", words.isolated("[\(tag)]")), "isChosen": true] as PageModel
        case .address(let sender):
            model["remember"] =
                ["text": words("remember.address", words.isolated(sender)), "isChosen": false] as PageModel
        case nil: break
        }
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
        if record.isUnverified { model["again"] = words("remember.again", words.isolated(sender)) }
        if FreeMail.has(sender) { model["warning"] = words("remember.freemail") }
        return model
    }
}
