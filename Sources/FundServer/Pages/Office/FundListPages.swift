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
    ]

    /// The person with that address. Throws `notFound`.
    static func owner(_ address: String, _ call: PageCall) async throws -> User.ID {
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
}
