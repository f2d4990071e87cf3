internal import Hummingbird
internal import FundCore

extension WebRoute {
    static let auditRoutes: [WebRoute] = [
        .get("/v1/admin/audit", .administrator) { call in
            let query = try call.query()
            let entries = try await call.administration.audit(
                try auditFilter(query), try call.page(query, default: 100))
            return try call.list("entries", entries) { $0.field($1) }
        },
        .get("/v1/admin/audit.csv", .administrator) { call in
            try await AuditTable(call: call, filter: try auditFilter(try call.query())).response()
        }.streamed,
    ]

    private static func auditFilter(_ query: QueryText) throws -> AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (query["actor"], query["action"], query["subject"])
        (filter.since, filter.until) = (try query.time("since"), try query.time("until"))
        return filter
    }
}
