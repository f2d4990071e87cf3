internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let auditRoutes: [PageRoute] = [
        .office("/office/audit") { call in
            let form = AuditForm(try call.query())
            var model = try await form.model(call)
            guard let problem = form.problem else {
                let section = try call.section(of: form.list)
                let page = try await call.administration.audit(form.filter, section)
                model["rows"] = page.items.map { row($0, call.words) }
                model["isEmpty"] = page.items.isEmpty && page.next == nil
                model["paging"] = try call.paging("/office/audit", form.fields, next: page.next, of: form.list)
                model["table"] = "/office/audit.csv" + PageQueryText.text(form.fields)
                return call.page("audit", model, title: call.words("audit.title"))
            }
            model.fail(call.words("audit.noday"), at: problem)
            return call.page("audit", model, title: call.words("audit.title"), status: .badRequest)
        },
        PageRoute.office("/office/audit.csv") { call in
            let form = AuditForm(try call.query())
            guard form.problem == nil else { throw RequestError.invalid("a day is written as 2026-01-31") }
            return try await AuditTable(call: call, filter: form.filter, isForSpreadsheet: true).response()
        }.streamed,
    ]

    private static func row(_ entry: AuditEntry, _ words: Words) -> PageModel {
        let parts = DateText.internet(entry.at).split { $0 == "T" || $0 == "Z" }
        var row: PageModel = [
            "what": words.name(entry.action, in: "act"), "action": entry.action, "actor": entry.actor,
            "at": parts.joined(separator: " "),
            "ofActor": "/office/audit" + PageQueryText.text([("actor", entry.actor)]),
        ]
        // Only what is there: the form has a subject, too.
        if !entry.subject.isEmpty {
            row["target"] = entry.subject
            row["ofTarget"] = "/office/audit" + PageQueryText.text([("subject", entry.subject)])
        }
        if !entry.detail.isEmpty { row["detail"] = entry.detail }
        return row
    }
}

/// Which entries of the audit trail are asked for, as the address of their page has it: days in UTC, the last included.
struct AuditForm {
    private let actor, action, subject, since, until: String?

    init(_ query: QueryText) {
        (actor, action, subject) = (query["actor"], query["action"], query["subject"])
        (since, until) = (query["since"], query["until"])
    }

    /// The field whose text is no day.
    var problem: String? {
        if let since, Self.day(since) == nil { return "since" }
        if let until, Self.day(until) == nil { return "until" }
        return nil
    }

    var filter: AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (actor, action, subject)
        filter.since = since.flatMap(Self.day)
        filter.until = until.flatMap(Self.day).map { $0 + .seconds(CivilDate.secondsPerDay) }
        return filter
    }

    var fields: [(name: String, value: String?)] {
        [("actor", actor), ("action", action), ("subject", subject), ("since", since), ("until", until)]
    }

    /// For which alone its cursors are good.
    var list: String { "audit" + PageQueryText.text(fields) }

    func model(_ call: PageCall) async throws -> PageModel {
        let actions = try await call.administration.auditActions()
        let groups = Set(actions.map { String($0.prefix { $0 != "." }) })
        // The action that is asked for stays chosen, also where the trail has none of it yet.
        let choices = groups.union(actions).union(action.map { [$0] } ?? []).sorted()
        return [
            "isOffice": true, "atAudit": true, "actor": actor ?? "", "subject": subject ?? "", "since": since ?? "",
            "until": until ?? "", "isFiltered": fields.contains { $0.value != nil },
            "sinceFailed": problem == "since", "untilFailed": problem == "until",
            "actions": choices.map { choice in
                let isGroup = groups.contains(choice) && !actions.contains(choice)
                return [
                    "value": choice, "isChosen": choice == action,
                    "text": isGroup
                        ? call.words("audit.group", call.words.name(choice, in: "group"))
                        : call.words.name(choice, in: "act"),
                ] as PageModel
            },
        ]
    }

    /// The beginning of a day in UTC; nil for other text than `2026-01-31`.
    private static func day(_ text: String) -> Timestamp? {
        guard let date = CivilDate(text), date.year >= 1970 else { return nil }
        return Timestamp(Int64(date.daysSince1970 * CivilDate.secondsPerDay))
    }
}
