internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let personRoutes: [PageRoute] = [
        .office("/office/people/{user}") { call in try await personPage(try call.id("user"), call) },
        change("name", done: "person-changed") { UserChange(name: $0["name"] ?? "") },
        .officeAct("/office/people/{user}/receipts") { call, form in
            let id: User.ID = try call.id("user")
            let change = UserChange(receipts: try ReceiptForm.setting(in: form))
            try await call.administration.changeUser(id, change, if: nil, actor: try call.user.email)
            return call.redirect(to: "/office/people/\(id)?done=person-changed")
        },
        .officeAct("/office/people/{user}/digests") { call, form in
            let id: User.ID = try call.id("user")
            let change = UserChange(digests: try DigestForm.change(in: form))
            try await call.administration.changeUser(id, change, if: nil, actor: try call.user.email)
            return call.redirect(to: "/office/people/\(id)?done=person-changed")
        },
        .officeAct("/office/people/{user}/quota") { call, form in
            let id: User.ID = try call.id("user")
            do {
                let change = UserChange(quota: try QuotaForm.quota(in: form))
                try await call.administration.changeUser(id, change, if: nil, actor: try call.user.email)
            } catch let failure as StoreError where failure.code == .invalid {
                return try await personPage(id, call, failure: failure, saying: call.words("room.invalid"))
            }
            return call.redirect(to: "/office/people/\(id)?done=person-changed")
        }.proven,
        change("role", done: "person-changed") { UserChange(isAdministrator: $0["role"] == "administrator") }.proven,
        change("state", done: "person-changed") { UserChange(isDisabled: $0["state"] == "disabled") }.proven,
        change("addresses", done: "address-added") { UserChange(addedAddress: $0["address"] ?? "") }.proven,
        change("addresses/remove", done: "address-removed") { UserChange(removedAddress: $0["address"] ?? "") }.proven,
        change("addresses/answer", done: "person-changed") { form in
            let address = form["address"] ?? ""
            return form["answer"] == "on"
                ? UserChange(answeredAddress: address) : UserChange(unansweredAddress: address)
        },
        .officeAct("/office/people/{user}/sessions/end") { call, _ in
            let id: User.ID = try call.id("user")
            try await call.endSessions(of: id)
            return call.redirect(to: "/office/people/\(id)?done=revoked")
        },
        .officeAct("/office/people/{user}/second-factor/remove") { call, _ in
            let id: User.ID = try call.id("user")
            do {
                let wereThere = try await call.accounts.removeSecondFactors(
                    of: id, at: call.parts.authenticator.now(), actor: try call.user.email)
                return call.redirect(to: "/office/people/\(id)?done=\(wereThere ? "factors-removed" : "no-factors")")
            } catch let failure as StoreError where failure.code == .conflict {
                return try await personPage(id, call, failure: failure)
            }
        }.proven,
        .officeAct("/office/people/{user}/reset") { call, _ in
            try call.context.requireSecrecy()
            let id: User.ID = try call.id("user")
            // The name of this server in a request is its sender's choice: a link with it could lead the person
            // elsewhere.
            guard let address = call.pages.publicURL else { return try await personPage(id, call, lacksAddress: true) }
            do {
                let reset = try await call.makePasswordReset(for: id)
                return try await personPage(id, call, reset: "\(address)/reset/\(reset.characters)")
            } catch let failure as StoreError where failure.code == .conflict {
                return try await personPage(id, call, failure: failure)
            }
        }.proven,
    ]

    /// An act that changes the person in one way. What is refused is said on their page.
    private static func change(
        _ what: String, done: String, _ change: @escaping @Sendable (FieldText) -> UserChange
    ) -> PageRoute {
        .officeAct("/office/people/{user}/\(what)") { call, form in
            let id: User.ID = try call.id("user")
            do {
                try await call.administration.changeUser(id, change(form), if: nil, actor: try call.user.email)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid, .conflict) {
                return try await personPage(id, call, address: form["address"], failure: failure)
            }
            return call.redirect(to: "/office/people/\(id)?done=\(done)")
        }
    }

    /// - Parameters:
    ///   - address: what was typed as a further one and refused.
    ///   - reset: a new link, which is shown this once.
    ///   - lacksAddress: a link was asked for, and nothing says how it begins.
    ///   - text: what is wrong; nil for the usual words for the failure.
    private static func personPage(
        _ id: User.ID, _ call: PageCall, address: String? = nil, reset: String? = nil, lacksAddress: Bool = false,
        failure: StoreError? = nil, saying text: String? = nil
    ) async throws -> Response {
        let record = try await call.administration.user(id)
        let user = record.user
        let now = call.parts.authenticator.now()
        let tokens = try await call.accounts.tokens(of: id, PageQuery()).items.filter { $0.isLive(at: now) }
        let factors = try await call.accounts.secondFactors(of: id)
        let funds = try await call.administration.funds(FundFilter(owner: id, includesArchived: true), PageQuery())
        var model: PageModel = [
            "isOffice": true, "atPeople": true, "onPeople": true, "here": "/office/people/\(id)", "id": "\(id)",
            "email": user.email, "shownName": user.name ?? user.email, "name": user.name ?? "",
            "isOther": id != (try call.userID), "hasRole": user.isAdministrator,
            "isDisabled": user.isDisabled,
            "addresses": record.addresses.enumerated().map { index, address in
                [
                    "address": address, "isNaming": index == 0,
                    "isAnswered": record.answeredAddresses.contains(address),
                ] as PageModel
            },
            "newAddress": address ?? "",
            "sessions": call.words.count("sessions", tokens.count { $0.kind != .app }),
            "apps": call.words.count("apps", tokens.count { $0.kind == .app }),
            "factors": call.words.factors(factors), "hasFactors": factors.areAsked,
            "lacksFactor": call.parts.authenticator.lacksSecondFactor(user, hasSecondFactor: factors.isSetUp),
            "funds": funds.items.map { fundRow($0, call) }, "hasFunds": !funds.items.isEmpty,
            "audit": "/office/audit" + PageQueryText.text([("subject", user.email)]),
        ]
        model.merge(ReceiptForm.model(of: user, call))
        model.merge(DigestForm.model(of: user, call))
        model.merge(QuotaForm.model(of: record, call))
        model["reset"] = reset
        if lacksAddress { model.fail(call.words("reset.noaddress")) }
        if let failure {
            let isAboutAddress = address != nil
            let usual =
                switch failure.code {
                case .alreadyExists: call.words("people.taken")
                case .invalid:
                    isAboutAddress ? call.words("people.noaddress") : call.words.sentence(failure.requestError)
                default:
                    id == (try? call.userID)
                        ? call.words("people.yourself")
                        : user.isDisabled ? call.words("people.disabled") : call.words.sentence(failure.requestError)
                }
            model.fail(text ?? usual, at: isAboutAddress ? "address" : nil)
            model["addressFailed"] = isAboutAddress
        }
        return call.page(
            "person", model, title: user.name ?? user.email,
            status: failure?.requestError.status ?? (lacksAddress ? .conflict : .ok), isKept: reset == nil)
    }
}
