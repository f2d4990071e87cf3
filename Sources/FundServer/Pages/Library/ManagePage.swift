internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let manageRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/manage") { call in try await managePage(try call.id("fund"), call) },
        .post("/library/funds/{fund}/aliases") { call, form in
            let (id, alias): (Fund.ID, String) = (try call.id("fund"), form["alias"] ?? "")
            let isNew: Bool
            do {
                isNew = try await changeAliases(of: id, call) { $0.contains(alias) ? $0 : $0 + [alias] }
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await managePage(id, call, alias: alias, failure: failure.requestError)
            }
            return call.redirect(to: "/library/funds/\(id)/manage?done=\(isNew ? "alias-added" : "alias-known")")
        },
        .post("/library/funds/{fund}/aliases/remove") { call, form in
            let id: Fund.ID = try call.id("fund")
            // By bytes: two aliases may be the same text to Swift.
            let alias = Array((form["alias"] ?? "").utf8)
            let isRemoved = try await changeAliases(of: id, call) { aliases in
                aliases.filter { !$0.utf8.elementsEqual(alias) }
            }
            return call.redirect(
                to: "/library/funds/\(id)/manage" + (isRemoved ? "?done=alias-removed" : "?done=alias-gone"))
        },
        .post("/library/funds/{fund}/archive") { call, _ in
            let id: Fund.ID = try call.id("fund")
            try await call.library.archiveFund(id, if: nil, of: try call.userID)
            let undo = try UndoOffer.field(.restore(ItemSelection(items: [.fund(id)])), call)
            return call.redirect(to: "/library?done=archived" + undo)
        },
    ]

    /// Changes the aliases of a fund. Throws 412 when another changed them meanwhile.
    /// - Returns: false when the fund has the same aliases as before.
    private static func changeAliases(
        of id: Fund.ID, _ call: PageCall, _ change: ([String]) -> [String]
    ) async throws -> Bool {
        let known = try await call.library.fund(id, of: try call.userID).aliases
        let wanted = change(known)
        guard wanted != known else { return false }
        let isAsKnown: ItemCondition = { state in
            if case .item(.fund(let fund)) = state { fund.aliases == known } else { false }
        }
        let changed = try await call.library.changeFund(
            id, name: nil, aliases: wanted, if: isAsKnown, of: try call.userID)
        return changed.aliases != known
    }

    /// - Parameters:
    ///   - name: what was typed as its new name and refused.
    ///   - alias: the same of a new alias.
    static func managePage(
        _ id: Fund.ID, _ call: PageCall, name: String? = nil, alias: String? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        let head = try await FundHead(id, .files, call)
        var model: PageModel = [
            "fund": head.model, "id": "\(id)", "newName": name ?? head.fund.name, "newAlias": alias ?? "",
            "nameFailed": name != nil, "aliasFailed": alias != nil, "hasAliases": !head.fund.aliases.isEmpty,
            "aliases": head.fund.aliases.map { ["name": $0] as PageModel },
        ]
        if let failure { model.fail(call.words.sentence(failure), at: name == nil ? "alias" : "name") }
        return call.page(
            "manage", model, title: "\(call.words("manage.title")) \(head.fund.name)", status: failure?.status ?? .ok)
    }
}
