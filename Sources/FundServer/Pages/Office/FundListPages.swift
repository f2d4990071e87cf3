internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Funds of all people, for administrators.
extension PageRoute {
    static let fundListRoutes: [PageRoute] = [
        .office("/office/funds") { call in try await fundListPage(call) },
        .officeAct("/office/funds") { call, form in
            do {
                let fund = try await call.administration.addFund(
                    name: form["name"] ?? "", owner: try await owner(form["owner"] ?? "", call), aliases: [],
                    actor: try call.user.email)
                let done = fund.tookNameFrom == nil ? "fund-added" : "fund-took-name"
                return call.redirect(to: "/office/funds/\(fund.id)?done=\(done)")
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid, .notFound) {
                return try await fundListPage(call, typed: form, failure: failure)
            }
        },
        .office("/office/funds/{fund}") { call in try await fundPage(try call.id("fund"), call) },
        .officeAct("/office/funds/{fund}/name") { call, form in
            let (id, name): (Fund.ID, String) = (try call.id("fund"), form["name"] ?? "")
            _ = try await call.administration.fund(id)
            let formerHolder: String?
            do {
                formerHolder = try await call.administration.renameFund(id, to: name, actor: try call.user.email)
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                return try await fundPage(id, call, name: name, failure: failure)
            }
            let done = formerHolder == nil ? "fund-renamed" : "fund-took-name"
            return call.redirect(to: "/office/funds/\(id)?done=\(done)")
        },
        .officeAct("/office/funds/{fund}/give") { call, form in
            let id: Fund.ID = try call.id("fund")
            let address = form["owner"] ?? ""
            let gift: FundGift
            do {
                gift = try await call.administration.giveFund(
                    id, to: try await owner(address, call), actor: try call.user.email)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .notFound, .conflict) {
                return try await fundPage(id, call, newOwner: address, failure: failure)
            }
            let done = gift.takenNames.isEmpty ? "fund-given" : "fund-took-name"
            return call.redirect(to: "/office/funds/\(id)?done=\(done)")
        },
        .officeAct("/office/funds/{fund}/archive") { call, _ in
            let id: Fund.ID = try call.id("fund")
            _ = try await call.administration.fund(id)
            try await call.administration.archiveFund(id, actor: try call.user.email)
            return call.redirect(to: "/office/funds?done=fund-archived")
        },
    ]

    /// The person with that address. Throws `notFound`.
    private static func owner(_ address: String, _ call: PageCall) async throws -> User.ID {
        guard let account = try await call.accounts.account(named: address) else {
            throw StoreError(.notFound, "find a user", "no user has this address")
        }
        return account.user.id
    }

    /// - Parameter typed: a new fund that was refused.
    private static func fundListPage(
        _ call: PageCall, typed: FieldText? = nil, failure: StoreError? = nil
    ) async throws -> Response {
        let query = try call.query()
        let (words, hasArchived) = call.isRead ? (query["q"], query["archived"] != nil) : (nil, false)
        let fields = [(name: "q", value: words), (name: "archived", value: hasArchived ? "1" : nil)]
        let list = "all funds" + PageQueryText.text(fields)
        let page = try await call.administration.funds(
            FundFilter(words: words, includesArchived: hasArchived), try call.section(of: list))
        var model: PageModel = [
            "isOffice": true, "atPeople": true, "onFunds": true, "here": "/office/funds", "query": words ?? "",
            "hasArchived": hasArchived, "isEmpty": page.items.isEmpty, "funds": page.items.map { fundRow($0, call) },
            "newName": typed?["name"] ?? "", "newOwner": typed?["owner"] ?? query["owner"] ?? "",
        ]
        model["paging"] = try call.paging("/office/funds", fields, next: page.next, of: list)
        if let failure {
            let isOwner = failure.code == .notFound
            let text = isOwner ? call.words("people.unknown") : call.words.sentence(failure.requestError)
            model.fail(text, at: isOwner ? "owner" : "name")
            model[isOwner ? "ownerFailed" : "nameFailed"] = true
        }
        return call.page(
            "fundlist", model, title: call.words("funds.title"), status: failure?.requestError.status ?? .ok)
    }

    static func fundRow(_ record: FundRecord, _ call: PageCall) -> PageModel {
        [
            "id": "\(record.fund.id)", "tag": record.fund.name, "hue": FundHue.name(record.fund.id),
            "owner": record.ownerEmail, "isArchived": record.isArchived,
            "counts": [
                call.words.count("mails", record.emailCount), call.words.count("files", record.fileCount),
                call.formats.size(record.bytes),
            ].joined(separator: " · "),
        ]
    }

    /// - Parameters:
    ///   - name: what was typed as its new name and refused.
    ///   - newOwner: what was typed as its new owner's address and refused.
    private static func fundPage(
        _ id: Fund.ID, _ call: PageCall, name: String? = nil, newOwner: String? = nil, failure: StoreError? = nil
    ) async throws -> Response {
        let record = try await call.administration.fund(id)
        var model = fundRow(record, call)
        model.merge([
            "isOffice": true, "atPeople": true, "onFunds": true, "here": "/office/funds/\(id)",
            "ownerID": "\(record.fund.owner)", "newName": name ?? record.fund.name,
            "aliases": record.fund.aliases, "hasAliases": !record.fund.aliases.isEmpty, "nameFailed": name != nil,
            "newOwner": newOwner ?? "", "ownerFailed": newOwner != nil,
            "audit": "/office/audit" + PageQueryText.text([("subject", record.fund.name)]),
        ])
        if let failure {
            let isUnknown = newOwner != nil && failure.code == .notFound
            model.fail(
                isUnknown ? call.words("people.unknown") : call.words.sentence(failure.requestError),
                at: newOwner == nil ? "name" : "owner")
        }
        return call.page("anyfund", model, title: record.fund.name, status: failure?.requestError.status ?? .ok)
    }
}
