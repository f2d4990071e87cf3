internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The first start: the code of the console makes the administrator, who adds the first person and tries a mail.
    static let setupRoutes: [PageRoute] = [
        .get("/setup", .anyone) { call in
            _ = try await call.openSetup()
            return call.setupPage("setup", SetupForm(FieldText()).model, at: .administrator)
        },
        .post("/setup", .anyone) { call, form in
            let code = try await call.openSetup()
            do { try call.context.requireSecrecy() } catch {
                return call.refusal(call.words("setup.insecure"), .forbidden, at: nil, SetupForm(FieldText()))
            }
            switch code.check(form["code"] ?? "") {
            case .right: return try await makeAdministrator(call, SetupForm(form), code)
            case .wrong:
                return call.refusal(
                    call.words("setup.code.wrong"), .unprocessableContent, at: "code", SetupForm(FieldText()))
            case .wait(let seconds):
                var page = call.refusal(
                    call.words("setup.code.wait"), .tooManyRequests, at: "code", SetupForm(FieldText()))
                page.headers[.retryAfter] = "\(seconds)"
                return page
            // Another browser was quicker.
            case .closed: throw RequestError.notFound
            }
        },
        .office("/setup/person") { call in
            call.setupPage("setupperson", NewPerson(FieldText()).model, at: .person)
        },
        .officeAct("/setup/person") { call, form in
            let person = NewPerson(form)
            if let (key, field) = person.problem { return call.refusal(key, at: field, person) }
            let row = UserImportRow(email: person.email, name: person.name, funds: [person.fund])
            let actor = try call.user.email
            let result = try await call.administration.importUsers([row], actor: actor, keeping: .allOrNothing)
            if case .invalid = result.first { return call.refusal("setup.person.refused", at: "fund", person) }
            let fund = try await call.administration.funds().first {
                $0.ownerEmail == EmailAddress(person.email)?.description
                    && FundName.key($0.fund.name) == FundName.key(person.fund)
            }
            return call.redirect(to: "/setup/done" + PageQueryText.text([("fund", fund.map { "\($0.fund.id)" })]))
        },
        .office("/setup/done") { call in try await trialPage(call) },
    ]

    private static func makeAdministrator(
        _ call: PageCall, _ form: SetupForm, _ code: SetupCode
    ) async throws -> Response {
        // The code alone opens the form.
        guard form.isFilled else {
            return call.setupPage("setup", form.model, at: .administrator)
        }
        if let (text, field) = form.problem(call.words) {
            return call.refusal(text, .unprocessableContent, at: field, form)
        }
        do {
            let hash = try await call.parts.authenticator.passwords.hash(
                Password(form.password), from: ClientAddress(call.context.peer))
            let user = try await call.administration.addFirstAdministrator(
                email: form.email, name: form.name, passwordHash: hash, actor: form.email)
            code.close()
            try await call.endSession()
            let token = try await call.parts.authenticator.issueToken(.web, for: user, label: call.browserLabel)
            return call.redirect(
                to: "/office/mailboxes/new?setup=1",
                headers: [.setCookie: PageSessions.field(token.characters, call.context)])
        } catch let failure as StoreError where failure.code == .conflict {
            // Another browser was quicker.
            code.close()
            throw RequestError.notFound
        } catch let failure as AuthenticationError {
            return call.refusal(call.words("error.busy"), failure.requestError.status, at: nil, form)
        }
    }

    /// The subject line to copy, and whether mail has come.
    private static func trialPage(_ call: PageCall) async throws -> Response {
        let query = try call.query()
        let funds = try await call.administration.funds()
        let asked = query["fund"].flatMap { QueryText.number($0) }
        let record =
            funds.first { $0.fund.id.rawValue == asked } ?? funds.max { $0.fund.id.rawValue < $1.fund.id.rawValue }
        var model: PageModel = [
            "hasMailbox": call.pages.setup.hasMailboxes(), "hasLetters": call.parts.letterServer() != nil,
        ]
        if let record {
            let entry = try await call.library.fund(record.fund.id, of: record.fund.owner)
            model["card"] = AddressCard(of: entry, call).model(isShort: false, call.words)
            model["owner"] = record.ownerEmail
            model["fundName"] = record.fund.name
            model["again"] = "/setup/done" + PageQueryText.text([("fund", "\(record.fund.id)")])
            model["hasCome"] = record.emailCount > 0
            if record.emailCount == 0 { model["refresh"] = PageCall.refreshSeconds }
            var filter = MisrouteFilter()
            filter.attention = .waiting
            let waiting = try await call.administration.countMisroutes(filter)
            if waiting > 0 { model["kept"] = call.words.count("setup.kept", waiting) }
        }
        return call.setupPage("setupdone", model, at: .trial)
    }
}

extension PageCall {
    /// The steps of the first start, in their order. The raw values stand in the table of words.
    enum SetupStep: String, CaseIterable {
        case administrator, mailbox, person, trial, letters
    }

    /// A page with the steps above it. It may hold what was typed: no cache keeps it.
    func setupPage(
        _ template: String, _ model: PageModel, at step: SetupStep, status: HTTPResponse.Status = .ok
    ) -> Response {
        var model = model
        model["isOffice"] = true
        model["stages"] = SetupStep.allCases.map {
            ["text": words("setup.step.\($0.rawValue)"), "isHere": $0 == step] as PageModel
        }
        return page(template, model, title: words("setup.title.\(step.rawValue)"), status: status, isKept: false)
    }

    fileprivate func refusal(
        _ text: String, _ status: HTTPResponse.Status, at field: String?, _ form: SetupForm
    ) -> Response {
        setupPage("setup", form.model.failed(text, at: field), at: .administrator, status: status)
    }

    fileprivate func refusal(_ key: String, at field: String, _ person: NewPerson) -> Response {
        setupPage(
            "setupperson", person.model.failed(words(key), at: field), at: .person, status: .unprocessableContent)
    }
}

/// The fields of the form of the first administrator.
private struct SetupForm {
    let code: String
    let email: String
    let name: String?
    let password: String
    private let again: String
    /// It is the form of the administrator, not of the code alone.
    let isFilled: Bool

    init(_ form: FieldText) {
        code = form["code"] ?? ""
        email = (form["email"] ?? "").trimmed
        name = form["name"].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        password = form["new"] ?? ""
        again = form["again"] ?? ""
        isFilled = form["email"] != nil
    }

    func problem(_ words: Words) -> (text: String, field: String)? {
        guard EmailAddress(email) != nil else { return (words("setup.email.wrong"), "email") }
        if let problem = Password.problem(with: password, addresses: [email]) {
            return (words("password.refused.\(problem.rawValue)"), "new")
        }
        return password == again ? nil : (words("password.differ"), "again")
    }

    /// Passwords are typed anew.
    var model: PageModel {
        ["code": code, "email": email, "name": name ?? "", "hasCode": !code.isEmpty]
    }
}

/// The fields of the form of the first person.
private struct NewPerson {
    let email: String
    let name: String?
    let fund: String

    init(_ form: FieldText) {
        email = (form["email"] ?? "").trimmed
        name = form["name"].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        fund = (form["fund"] ?? "").trimmed
    }

    var problem: (key: String, field: String)? {
        guard EmailAddress(email) != nil else { return ("setup.email.wrong", "email") }
        return FundName.problem(with: fund).map { ("problem.\($0.kind.rawValue)", "fund") }
    }

    var model: PageModel { ["email": email, "name": name ?? "", "newFund": fund] }
}
