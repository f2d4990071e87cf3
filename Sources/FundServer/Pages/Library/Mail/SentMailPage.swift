internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

extension PageRoute {
    /// Pages about a person's own mail: what became of it, and where a subject would go.
    static let sentMailRoutes: [PageRoute] = [
        .get("/library/sent") { call in
            let query = try call.query()
            let page = try await call.library.received(of: try call.userID, try call.section(of: "sent"))
            let offers = try await offers(for: page.items, call)
            var model: PageModel = [
                "atSent": true, "rows": page.items.map { row($0, offers, call) },
                "isEmpty": page.items.isEmpty && page.next == nil, "subject": query["subject"] ?? "",
            ]
            if let subject = query["subject"], !subject.isEmpty {
                guard subject.unicodeScalars.count <= 1000 else {
                    throw RequestError.invalid("the subject is too long")
                }
                model["test"] = try await test(subject, call)
            }
            let troubled = try await call.pages.sidebars.troubledLetters(of: try call.user)
            model["troubled"] = troubled > 0 ? .text("\(troubled)") : PageValue.flag(false)
            model["paging"] = try call.paging("/library/sent", next: page.next, of: "sent")
            return call.page("sent", model, title: call.words("sent.title"))
        }.live,
        // All funds that they may have meant.
        .get("/library/sent/{received}") { call in
            let mail = try await call.library.receivedMail(try call.id("received"), of: try call.userID).mail
            guard mail.isForSender else { return call.redirect(to: "/library/sent") }
            let (list, path) = ("sent funds", "/library/sent/\(mail.id)")
            let page = try await call.library.funds(of: try call.userID, try call.section(of: list))
            var model: PageModel = [
                "atSent": true, "id": "\(mail.id)", "subject": call.words.subject(mail.subject),
                "time": call.formats.time(mail.receivedAt), "isEmpty": page.items.isEmpty,
                "funds": page.items.map { choice($0.id, $0.name) },
            ]
            model["paging"] = try call.paging(path, next: page.next, of: list)
            return call.page("sentfund", model, title: call.words("sent.choose"))
        },
        .post("/library/sent/{received}/file") { call, form in
            guard let fund = form["fund"].flatMap({ QueryText.number($0) }) else {
                throw RequestError.invalid("there is no such button")
            }
            do { _ = try await call.fileOwnMail(into: Fund.ID(fund)) } catch let failure as StoreError
                where failure.code == .alreadyResolved
            {
                // The list says what became of it.
                return call.redirect(to: "/library/sent")
            }
            return call.redirect(to: "/library/sent?done=own-filed")
        },
    ]

    /// Waiting messages of a page for which funds are looked for; of the others all funds are one step away.
    private static let maxOffered = 10
    /// Funds that are offered in a row.
    private static let maxFunds = 3

    /// The funds of the sender's into which waiting messages may belong, best first.
    private static func offers(
        for mail: [ReceivedMail], _ call: PageCall
    ) async throws -> [ReceivedMail.ID: [PageModel]] {
        let user = try call.userID
        let asked = mail.filter(\.isForSender).prefix(maxOffered).map(\.id)
        guard !asked.isEmpty else { return [:] }
        let waiting = try await call.library.keptRecords(of: asked, of: user).map { (id: $0.key, record: $0.value) }
        let offers = try await call.parts.desk.offers(for: waiting.map(\.record))
        return Dictionary(
            uniqueKeysWithValues: zip(waiting, offers).map { waiting, offers in
                let own = offers.filter { $0.owner.id == user }.prefix(maxFunds)
                return (waiting.id, own.map { choice($0.fund.id, $0.fund.name) })
            })
    }

    private static func choice(_ fund: Fund.ID, _ name: String) -> PageModel {
        ["fund": "\(fund)", "fundName": name, "hue": FundHue.name(fund)]
    }

    private static func test(_ subject: String, _ call: PageCall) async throws -> PageModel {
        let decision = try await call.parts.rehearse(subject, of: try call.user)
        var model: PageModel = [
            "steps": decision.steps.map { $0.model(call.words) },
            "hasSuggestions": !decision.suggestions.isEmpty, "suggestions": decision.suggestions,
        ]
        if let fund = decision.fund {
            model["fund"] = ["name": fund.name, "id": "\(fund.id)", "hue": FundHue.name(fund.id)] as PageModel
        }
        if let reason = decision.reason { model["reason"] = call.words("reason.\(reason.rawValue)") }
        return model
    }

    private static func row(
        _ mail: ReceivedMail, _ offers: [ReceivedMail.ID: [PageModel]], _ call: PageCall
    ) -> PageModel {
        var row: PageModel = [
            "key": "received-\(mail.id)",
            "subject": call.words.subject(mail.subject),
            "time": call.formats.time(mail.receivedAt),
            "outcome": call.words("outcome.\(mail.outcome.rawValue)"),
        ]
        if let reason = mail.reason { row["reason"] = call.words("reason.\(reason.rawValue)") }
        if let resolution = mail.resolution {
            row["resolved"] = settled(by: resolution.by, isFiled: mail.outcome == .filed, call)
        }
        if let takenBack = mail.takenBack { row["resolved"] = call.words("sent.takenback", takenBack.by) }
        if mail.isForSender {
            row["waits"] = ["id": "\(mail.id)", "choices": offers[mail.id] ?? []] as PageModel
        }
        if mail.isGivenAway { row["given"] = call.words("sent.given") }
        if let email = mail.email { row["email"] = "\(email)" }
        if let fund = mail.fund, let name = mail.fundName {
            row["fund"] = ["name": name, "id": "\(fund)", "hue": FundHue.name(fund)] as PageModel
        }
        return row
    }

    private static func settled(by name: String, isFiled: Bool, _ call: PageCall) -> String {
        guard isFiled else { return call.words("sent.asideby", name) }
        return name == call.signedIn?.user.email ? call.words("sent.filedbyyou") : call.words("sent.filedby", name)
    }
}

extension RoutingStep {
    func model(_ words: Words) -> PageModel {
        ["text": words.sentence(self), "isYes": verdict == .yes, "isNo": verdict == .no]
    }
}
