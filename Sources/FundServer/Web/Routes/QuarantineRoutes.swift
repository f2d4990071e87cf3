internal import Hummingbird
internal import FundCore

/// Contents in which malware was found.
extension WebRoute {
    static let quarantineRoutes: [WebRoute] = [
        .get("/v1/admin/quarantine", .administrator) { call in
            let contents = try await call.parts.store.quarantine.quarantined(
                try call.page(try call.query(), default: 100))
            return try call.list("contents", contents) { $0.field($1) }
        },
        .act(.post, "/v1/admin/quarantine/{sha256}/release", .administrator) { call in
            try await call.releaseContent()
        },
    ]
}
