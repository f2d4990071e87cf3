internal import Hummingbird
internal import FundCore

extension WebRoute {
    static let healthRoutes: [WebRoute] = [
        .get("/v1/admin/health", .administrator) { call in
            let (period, state) = try await call.health()
            return call.json { $0.field(state, of: period) }
        }
    ]
}
