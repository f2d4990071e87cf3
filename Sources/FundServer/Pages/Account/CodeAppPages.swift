internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Acts about the authenticator app of the person who is signed in.
extension PageRoute {
    static let codeRoutes: [PageRoute] = [
        factorAct("/account/code-app") { call, form in
            try call.context.requireSecrecy()
            let code = TimeCode(secret: RandomBytes.make(TimeCode.secretBytes))
            return try codeAppPage(code, call, form)
        },
        factorAct("/account/code-app/confirm") { call, form in
            let (authenticator, session) = (call.parts.authenticator, try call.factorSession())
            guard let code = authenticator.codeApps.taken(form["sealed"] ?? "", in: session) else {
                return call.factorRedirect(next: form["next"], done: "confirm-first")
            }
            do {
                let codes = try await authenticator.setCodeApp(code, typed: form["code"] ?? "", session)
                return try call.codesPage(codes, form, done: "app-added")
            } catch AuthenticationError.wrongCode {
                return try codeAppPage(code, call, form, failure: call.words("app.wrong"))
            }
        },
        factorAct("/account/code-app/remove") { call, form in
            let rule = call.parts.authenticator.factorRule
            guard try await call.accounts.removeCodeApp(in: try call.factorSession(), rule: rule) else {
                throw RequestError.notFound
            }
            return call.factorRedirect(next: form["next"], done: "factor-removed")
        },
    ]

    /// The secret for the app, which nothing keeps until a first code proves that the app has it.
    private static func codeAppPage(
        _ code: TimeCode, _ call: PageCall, _ form: FieldText, failure: String? = nil
    ) throws -> Response {
        var model: PageModel = [
            "atAccount": true, "here": factorPath, "secret": code.text, "next": call.localPath(form["next"]) ?? "",
            "sealed": try call.parts.authenticator.codeApps.offer(code, in: try call.factorSession()),
        ]
        if let picture = try? QRCode(code.address(of: try call.user)) {
            model["qr"] = picture.model(label: call.words("codeapp.picture"))
        }
        if let failure { model.fail(failure, at: "code") }
        return call.page(
            "codeapp", model, title: call.words("codeapp.title"),
            status: failure == nil ? .ok : .unprocessableContent, isKept: false)
    }
}
