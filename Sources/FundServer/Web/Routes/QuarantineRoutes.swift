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
        .post("/v1/admin/quarantine/{sha256}/release", .administrator) { call in
            try await call.releaseContent()
            return call.noContent
        },
    ]
}

extension UserCall {
    /// Releases the content of the path parameter `sha256`. Throws 404 when it is not in quarantine.
    func releaseContent() async throws {
        guard let digest = context.parameters.get("sha256").flatMap(ContentDigest.init(hex:)) else {
            throw RequestError.notFound
        }
        try await parts.store.quarantine.release(digest, actor: try user.email)
    }
}
