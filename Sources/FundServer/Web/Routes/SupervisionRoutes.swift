internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// How the mailboxes are doing, runs that are asked for, and what a check of the set-up finds.
extension WebRoute {
    static let supervisionRoutes: [WebRoute] = [
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
    ]

    private static func findings(_ call: WebCall) async throws -> Response {
        let findings = try await call.parts.doctor.findings(for: try call.user.email)
        return call.json { $0.field(findings) }
    }
}
