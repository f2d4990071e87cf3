internal import Hummingbird
internal import FundCore

/// How to mail to a fund: the beginning of a subject, the address, and both as a link and a QR code.
struct AddressCard {
    let fund: FundEntry
    /// Address to which people write mail; nil when the configuration does not tell it.
    let mailbox: String?

    init(of fund: FundEntry, _ call: PageCall) {
        self.fund = fund
        mailbox = call.pages.mailAddress()
    }

    /// The beginning of a subject.
    var line: String { "[\(fund.name)] " }

    /// RFC 6068. Without a known address the reader's program asks for it.
    var mailto: String {
        func isPlain(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte) }
        let to = PercentCoding.encoded(mailbox ?? "") { isPlain($0) || $0 == UInt8(ascii: "@") }
        return "mailto:\(to)?subject=\(PercentCoding.encoded(line, keeping: isPlain))"
    }

    /// For the template `addresscard`.
    /// - Parameter isShort: within another page, with a link to the card.
    func model(isShort: Bool, _ words: Words) -> PageModel {
        var model: PageModel = ["line": line, "mailto": mailto, "isShort": isShort, "id": "\(fund.id)"]
        if let mailbox { model["mailbox"] = mailbox }
        if let code = try? QRCode(mailto) { model["qr"] = code.model(label: words("card.code", fund.name)) }
        return model
    }
}

extension PageRoute {
    static let cardRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/card") { call in
            let head = try await FundHead(try call.id("fund"), .files, call)
            let card = AddressCard(of: head.fund, call)
            return call.page(
                "card",
                [
                    "fund": head.model, "card": card.model(isShort: false, call.words),
                    "hasAliases": !head.fund.aliases.isEmpty, "aliases": head.fund.aliases,
                ], title: call.words("card.title", head.fund.name))
        }
    ]
}
