internal import FundCore

/// The entries of the audit trail that are asked for, as the address of their page has it. A day begins by the reader's
/// clock where the page's script says by how much that is before UTC, and is one of UTC else; the last is included.
struct AuditForm {
    /// Minutes by which clocks differ from UTC.
    private static let offsets: ClosedRange<Int64> = -1440...1440
    private static let secondsPerMinute: Int64 = 60

    private let actor, action, subject, since, until, sinceOffset, untilOffset: String?

    init(_ query: QueryText) {
        (actor, action, subject) = (query["actor"], query["action"], query["subject"])
        (since, until) = (query["since"], query["until"])
        (sinceOffset, untilOffset) = (query["since-offset"], query["until-offset"])
    }

    /// The field whose text is no day.
    var problem: String? {
        if let since, Self.day(since, nil) == nil { return "since" }
        if let until, Self.day(until, nil) == nil { return "until" }
        return nil
    }

    var filter: AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (actor, action, subject)
        filter.since = since.flatMap { Self.day($0, sinceOffset) }
        filter.until = until.flatMap { Self.day($0, untilOffset) }.map { $0 + .seconds(CivilDate.secondsPerDay) }
        return filter
    }

    var fields: [(name: String, value: String?)] {
        [
            ("actor", actor), ("action", action), ("subject", subject), ("since", since),
            ("since-offset", sinceOffset), ("until", until), ("until-offset", untilOffset),
        ]
    }

    /// The list for which alone its cursors are good.
    var list: String { "audit" + PageQueryText.text(fields) }

    func model(_ call: PageCall) async throws -> PageModel {
        let known = try await call.administration.auditActions()
        let groups = Set(known.map { String($0.prefix { $0 != "." }) })
        // The action that is asked for stays chosen, also where the trail has none of it yet.
        let choices = groups.union(known).union(action.map { [$0] } ?? []).sorted()
        return [
            "isOffice": true, "atAudit": true, "actor": actor ?? "", "subject": subject ?? "", "since": since ?? "",
            "until": until ?? "", "isFiltered": fields.contains { $0.value != nil },
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

    /// The beginning of a day; nil for other text than `2026-01-31`.
    /// - Parameter offset: minutes that UTC is ahead of the reader's clock then, as scripts count them.
    private static func day(_ text: String, _ offset: String?) -> Timestamp? {
        guard let date = CivilDate(text), date.year >= 1970 else { return nil }
        let minutes = offset.flatMap { Int64($0) }.flatMap { offsets.contains($0) ? $0 : nil } ?? 0
        return Timestamp(Int64(date.daysSince1970 * CivilDate.secondsPerDay) + minutes * secondsPerMinute)
    }
}
