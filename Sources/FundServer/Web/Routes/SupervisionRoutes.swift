internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// For administrators: how server and mailboxes are doing, what was done, and contents in which malware was found.
extension WebRoute {
    static let supervisionRoutes: [WebRoute] = [
        .get("/v1/admin/health", .administrator) { call in
            let (period, state) = try await call.health()
            return call.json { $0.field(state, of: period) }
        },
        .get("/v1/admin/mailboxes", .administrator) { call in
            let reports = try await call.parts.mailboxes.reports()
            return call.json { json in
                json.objects("mailboxes", reports) { $0.field($1) }
            }
        },
        .post("/v1/admin/mailboxes/{mailbox}/poll", .administrator) { call in
            let poll = try await call.parts.mailboxes.poll(try call.mailbox(), actor: try call.user.email)
            let report = try await call.parts.mailboxes.reports().first { $0.state.name == poll.mailbox }
            return call.json { json in
                json.field(poll)
                guard let report else { return }
                json.object("mailbox") { $0.field(report) }
            }
        },
        .get("/v1/admin/doctor", .administrator) { call in try await findings(call) },
        .post("/v1/admin/doctor", .administrator) { call in
            try await call.parts.doctor.checkServers(actor: try call.user.email)
            return try await findings(call)
        },
        .get("/v1/admin/audit", .administrator) { call in
            let query = try call.query()
            let entries = try await call.administration.audit(
                try auditFilter(query), try call.page(query, default: 100))
            return try call.list("entries", entries) { $0.field($1) }
        },
        .get("/v1/admin/audit.csv", .administrator) { call in
            try await AuditTable(call: call, filter: try auditFilter(try call.query())).response()
        }.streamed,
        .get("/v1/admin/quarantine", .administrator) { call in
            let contents = try await call.parts.store.quarantine.quarantined(
                try call.page(try call.query(), default: 100))
            return try call.list("contents", contents) { $0.field($1) }
        },
        .act(.post, "/v1/admin/quarantine/{sha256}/release", .administrator) { call in try await call.releaseContent()
        },
    ]

    private static func auditFilter(_ query: QueryText) throws -> AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (query["actor"], query["action"], query["subject"])
        (filter.since, filter.until) = (try query.time("since"), try query.time("until"))
        return filter
    }

    private static func findings(_ call: WebCall) async throws -> Response {
        let findings = try await call.parts.doctor.findings(for: try call.user.email)
        return call.json { $0.field(findings) }
    }
}
