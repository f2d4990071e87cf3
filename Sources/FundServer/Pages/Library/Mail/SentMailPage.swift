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
            var model: PageModel = [
                "atSent": true, "rows": page.items.map { row($0, call) },
                "isEmpty": page.items.isEmpty && page.next == nil, "subject": query["subject"] ?? "",
            ]
            if let subject = query["subject"], !subject.isEmpty {
                guard subject.unicodeScalars.count <= 1000 else {
                    throw RequestError.invalid("the subject is too long")
                }
                model["test"] = try await test(subject, call)
            }
            model["paging"] = try call.paging("/library/sent", next: page.next, of: "sent")
            return call.page("sent", model, title: call.words("sent.title"))
        }.live
    ]

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

    private static func row(_ mail: ReceivedMail, _ call: PageCall) -> PageModel {
        var row: PageModel = [
            "key": "received-\(mail.id)",
            "subject": call.words.subject(mail.subject),
            "time": call.formats.time(mail.receivedAt),
            "outcome": call.words("outcome.\(mail.outcome.rawValue)"),
        ]
        if let reason = mail.reason { row["reason"] = call.words("reason.\(reason.rawValue)") }
        if let resolution = mail.resolution {
            row["resolved"] = call.words(
                mail.outcome == .filed ? "sent.filedby" : "sent.asideby", resolution.by)
        }
        if mail.isGivenAway { row["given"] = call.words("sent.given") }
        if let email = mail.email { row["email"] = "\(email)" }
        if let fund = mail.fund, let name = mail.fundName {
            row["fund"] = ["name": name, "id": "\(fund)", "hue": FundHue.name(fund)] as PageModel
        }
        return row
    }
}

extension RoutingStep {
    func model(_ words: Words) -> PageModel {
        ["text": words.sentence(self), "isYes": verdict == .yes, "isNo": verdict == .no]
    }
}
