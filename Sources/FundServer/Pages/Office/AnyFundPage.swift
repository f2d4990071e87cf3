internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// One fund of any person, for administrators.
extension PageRoute {
    static let anyFundRoutes: [PageRoute] = [
        .office("/office/funds/{fund}") { call in try await fundPage(try call.id("fund"), call) },
        .officeAct("/office/funds/{fund}/name") { call, form in
            let (id, name): (Fund.ID, String) = (try call.id("fund"), form["name"] ?? "")
            _ = try await call.administration.fund(id)
            let formerHolder: String?
            do {
                formerHolder = try await call.administration.renameFund(id, to: name, actor: try call.user.email)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
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
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .notFound, .conflict, .overQuota)
            {
                return try await fundPage(id, call, newOwner: address, failure: failure)
            }
            let done = gift.takenNames.isEmpty ? "fund-given" : "fund-took-name"
            return call.redirect(to: "/office/funds/\(id)?done=\(done)")
        },
        .officeAct("/office/funds/{fund}/archive") { call, _ in
            let id: Fund.ID = try call.id("fund")
            _ = try await call.administration.fund(id)
            try await call.administration.archiveFund(id, actor: try call.user.email)
            return call.redirect(to: "/office/funds/\(id)?done=fund-archived")
        },
        .officeAct("/office/funds/{fund}/restore") { call, _ in
            let id: Fund.ID = try call.id("fund")
            let name = try await call.administration.restoreFund(id, actor: try call.user.email)
            return call.redirect(to: "/office/funds/\(id)?\(try call.restored(as: name))")
        },
        .officeAct("/office/funds/{fund}/aliases") { call, form in
            let (id, alias): (Fund.ID, String) = (try call.id("fund"), form["alias"] ?? "")
            let isNew: Bool
            do {
                isNew = try await call.administration.addAlias(alias, to: id, actor: try call.user.email)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await fundPage(id, call, alias: alias, failure: failure)
            }
            return call.redirect(to: "/office/funds/\(id)?done=\(isNew ? "alias-added" : "alias-known")")
        },
        .officeAct("/office/funds/{fund}/aliases/remove") { call, form in
            let id: Fund.ID = try call.id("fund")
            _ = try await call.administration.fund(id)
            let alias = form["alias"] ?? ""
            let isRemoved = try await call.administration.removeAlias(alias, of: id, actor: try call.user.email)
            return call.redirect(to: "/office/funds/\(id)" + (isRemoved ? "?done=alias-removed" : "?done=alias-gone"))
        },
    ]

    /// - Parameters:
    ///   - name: what was typed as its new name and refused.
    ///   - alias: the same of a new alias.
    ///   - newOwner: what was typed as its new owner's address and refused.
    private static func fundPage(
        _ id: Fund.ID, _ call: PageCall, name: String? = nil, alias: String? = nil, newOwner: String? = nil,
        failure: StoreError? = nil
    ) async throws -> Response {
        let record = try await call.administration.fund(id, includingArchived: true)
        var model = fundRow(record, call)
        model.merge([
            "isOffice": true, "atPeople": true, "onFunds": true, "here": "/office/funds/\(id)",
            "ownerID": "\(record.fund.owner)", "newName": name ?? record.fund.name,
            "aliases": record.fund.aliases.map { ["alias": $0] as PageModel }, "newAlias": alias ?? "",
            "hasAliases": !record.fund.aliases.isEmpty, "nameFailed": name != nil, "aliasFailed": alias != nil,
            "newOwner": newOwner ?? "", "ownerFailed": newOwner != nil,
            "audit": "/office/audit" + PageQueryText.text([("subject", record.fund.name)]),
        ])
        if let failure {
            let text: String? =
                switch failure.code {
                case .notFound where newOwner != nil: call.words("people.unknown")
                case .overQuota: call.words("room.theirs")
                default: nil
                }
            model.fail(
                text ?? call.words.sentence(failure.requestError),
                at: newOwner != nil ? "owner" : alias != nil ? "alias" : "name")
        }
        return call.page("anyfund", model, title: record.fund.name, status: failure?.requestError.status ?? .ok)
    }
}
