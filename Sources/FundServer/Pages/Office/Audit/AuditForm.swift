internal import FundCore

/// The entries of the audit trail that are asked for, as the address of their page has it.
struct AuditForm {
    private let actor, action, subject: String?
    private let days: DayRange

    init(_ query: QueryText) {
        (actor, action, subject) = (query["actor"], query["action"], query["subject"])
        days = DayRange(query)
    }

    /// The field whose text is no day.
    var problem: String? { days.problem }

    var filter: AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (actor, action, subject)
        (filter.since, filter.until) = (days.since, days.until)
        return filter
    }

    var fields: [(name: String, value: String?)] {
        [("actor", actor), ("action", action), ("subject", subject)] + days.fields
    }

    /// The list for which alone its cursors are good.
    var list: String { "audit" + PageQueryText.text(fields) }

    func model(_ call: PageCall) async throws -> PageModel {
        let known = try await call.administration.auditActions()
        let groups = Set(known.map { String($0.prefix { $0 != "." }) })
        // The action that is asked for stays chosen, also where the trail has none of it yet.
        let choices = groups.union(known).union(action.map { [$0] } ?? []).sorted()
        return [
            "isOffice": true, "atAudit": true, "actor": actor ?? "", "subject": subject ?? "",
            "since": days.sinceText ?? "", "until": days.untilText ?? "",
            "isFiltered": fields.contains { $0.value != nil },
            "sinceFailed": problem == "since", "untilFailed": problem == "until",
            "actions": choices.map { choice in
                let isGroup = groups.contains(choice) && !known.contains(choice)
                return [
                    "value": choice, "isChosen": choice == action,
                    "text": isGroup
                        ? call.words("audit.group", call.words.name(choice, in: "group"))
                        : call.words.name(choice, in: "act"),
                ] as PageModel
            },
        ]
    }
}
