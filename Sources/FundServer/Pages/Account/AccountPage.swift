internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let accountRoutes: [PageRoute] = [
        .get("/account") { call in try await accountPage(call) },
        // The keys of all pages; a script shows those that do something on the page where one asks.
        .get("/account/keys") { call in
            call.page("keys", ["atAccount": true], title: call.words("keys.title"))
        },
        .post("/account/password") { call, form in
            try call.context.requireSecrecy()
            if let (text, field) = try await call.problem(withPasswordOf: form, for: try call.userID) {
                return try await accountPage(call, failure: text, at: field)
            }
            do {
                try await call.changePassword(from: form["current"] ?? "", to: form["new"] ?? "")
            } catch AuthenticationError.wrongCredentials {
                return try await accountPage(call, failure: call.words("password.wrong"), at: "current")
            }
            return call.redirect(to: "/account?done=password")
        },
        .post("/account/receipts") { call, form in
            let setting = try ReceiptForm.setting(in: form)
            try await call.accounts.setReceipts(setting, of: try call.userID, actor: try call.user.email)
            return call.redirect(to: "/account?done=saved")
        },
        .post("/account/digests") { call, form in
            // They read this page in it.
            let change = try DigestForm.change(in: form, language: PersonLanguage(rawValue: call.language.rawValue))
            try await call.accounts.setDigests(change, of: try call.userID, actor: try call.user.email)
            return call.redirect(to: "/account?done=saved")
        },
        .post("/account/app-passwords") { call, form in
            let label = TokenLabel.clean(form["label"] ?? "")
            guard !label.isEmpty else {
                return try await accountPage(call, failure: call.words("app.nameless"), at: "label")
            }
            guard let reach = TokenReach(rawValue: form["reach"] ?? TokenReach.files.rawValue) else {
                throw RequestError.invalid("there is no such reach")
            }
            do {
                return try await accountPage(call, added: try await call.addAppPassword(label, reach: reach))
            } catch let failure as RequestError where failure.code == RequestError.confirmFirst.code {
                return call.confirmFirst(next: "/account")
            }
        },
        .post("/account/tokens/{token}/revoke") { call, _ in
            try await call.revokeToken()
            return call.redirect(to: "/account?done=revoked")
        },
        .post("/account/sessions/end") { call, _ in
            try await call.endSessions(of: try call.userID)
            return call.redirect(to: "/account?done=revoked")
        },
    ]

    private static func accountPage(
        _ call: PageCall, failure: String? = nil, at field: String? = nil, added: IssuedToken? = nil
    ) async throws -> Response {
        let user = try call.user
        let record = try await call.administration.user(user.id)
        let factors = try await call.accounts.secondFactors(of: user.id)
        let tokens = try await call.accounts.tokens(of: user.id, PageQuery()).items.filter {
            $0.isLive(at: call.parts.authenticator.now())
        }
        func rows(_ kinds: Set<TokenKind>) -> [PageModel] {
            tokens.filter { kinds.contains($0.kind) }.map { token in
                let name = BrowserName.of(token.label) ?? token.label
                var row: PageModel = [
                    "id": "\(token.id)", "label": name.isEmpty ? call.words("token.nameless") : name,
                    "since": call.formats.time(token.createdAt),
                    "isCurrent": token.id == call.signedIn?.token?.id,
                ]
                if token.kind == .app { row["reach"] = call.words("app.reach.\(token.reach.rawValue)") }
                if let used = token.lastUsedAt { row["used"] = call.formats.time(used) }
                return row
            }
        }
        func choices<Choice: CaseIterable & RawRepresentable<String> & Equatable>(
            _ name: String, _ chosen: Choice
        ) -> [PageModel] {
            Choice.allCases.map {
                .choice($0.rawValue, call.words("\(name).\($0.rawValue)"), isChosen: $0 == chosen)
            }
        }
        var model: PageModel = [
            "atAccount": true, "email": user.email, "addresses": record.addresses,
            "factors": call.words.factors(factors), "hasFactors": factors.areAsked,
            "sessions": rows([.web, .mobile]), "apps": rows([.app]), "hasApps": tokens.contains { $0.kind == .app },
            "themes": choices("theme", Theme(of: call.request)), "keys": choices("keys", PageKeys(of: call.request)),
            "reaches": choices("app.reach", TokenReach.files), "languages": choices("language", call.language),
            "hasWebhooks": call.hasWebhooks, "stoppedWebhooks": try await stoppedWebhooks(call).orAbsent,
        ]
        model.merge(ReceiptForm.model(of: record.user, call))
        model.merge(DigestForm.model(of: record.user, call))
        let use = StorageText(words: call.words, formats: call.formats)
        model.merge(use.model(record.usedBytes, of: record.quota.limit(call.administration.storageLimits)))
        if let name = user.name { model["name"] = name }
        if let failure { model.fail(failure, at: field) }
        model["currentFailed"] = field == "current"
        model["newFailed"] = field == "new"
        model["againFailed"] = field == "again"
        model["labelFailed"] = field == "label"
        if let added { model["added"] = try AppPasswordCard(added, call).model }
        // The characters are shown this once.
        return call.page(
            "account", model, title: call.words("account.title"), status: failure == nil ? .ok : .unprocessableContent,
            isKept: added == nil)
    }

    /// Words for webhooks that wait for their owner; nil where there are none.
    private static func stoppedWebhooks(_ call: PageCall) async throws -> String? {
        guard call.hasWebhooks else { return nil }
        let stopped = try await call.webhookStore.webhooks(of: try call.userID).count { $0.state == .stopped }
        return stopped == 0 ? nil : call.words.count("webhooks.stopped", stopped)
    }
}
