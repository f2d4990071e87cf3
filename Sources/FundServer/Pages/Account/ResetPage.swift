internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Where a person sets their password by a link that an administrator made for them.
extension PageRoute {
    static let resetRoutes: [PageRoute] = [
        .get("/reset/{token}", .anyone) { call in try await resetPage(call) },
        // The link itself proves more than a session would.
        .tokenless("/reset/{token}") { call in
            try call.context.requireSecrecy()
            let form = try await call.form()
            guard let link = call.context.parameters.get("token"),
                let user = try await call.parts.authenticator.user(resetBy: link)
            else { return try await resetPage(call) }
            if let (text, field) = try await call.problem(withPasswordOf: form, for: user.id) {
                return try await resetPage(call, failure: text, at: field)
            }
            let changed = try await call.parts.authenticator.setPassword(
                form["new"] ?? "", resetBy: link, from: ClientAddress(call.context.peer))
            guard changed != nil else { return try await resetPage(call) }
            return call.redirect(
                to: "/sign-in?done=reset", headers: [.setCookie: PageSessions.field(nil, call.context)])
        },
    ]

    /// Changes nothing, however often it is loaded: programs that look at mail open its links.
    private static func resetPage(
        _ call: PageCall, failure: String? = nil, at field: String? = nil
    ) async throws -> Response {
        let link = call.context.parameters.get("token") ?? ""
        let user = try await call.parts.authenticator.user(resetBy: link)
        var model: PageModel = [
            "isGood": user != nil, "link": link, "newFailed": field == "new",
            "againFailed": field == "again", "address": "/sign-in",
        ]
        if let user { model["email"] = user.email }
        if let failure { model.fail(failure, at: field) }
        return call.page(
            "reset", model, title: call.words("reset.title"),
            status: user == nil ? .notFound : failure == nil ? .ok : .unprocessableContent, isKept: false)
    }
}

extension PageCall {
    /// Why the new password of a form is refused, and the field that this is about; nil for one that is allowed.
    func problem(withPasswordOf form: FieldText, for user: User.ID) async throws -> (text: String, field: String)? {
        let new = form["new"] ?? ""
        guard new == form["again"] else { return (words("password.differ"), "again") }
        let addresses = try await administration.user(user).addresses
        return Password.problem(with: new, addresses: addresses).map {
            (words("password.refused.\($0.rawValue)"), "new")
        }
    }
}
