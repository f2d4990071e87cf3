internal import Hummingbird
internal import FundCore

/// What those who send mail ask about it.
extension WebRoute {
    static let senderRoutes: [WebRoute] = [
        .get("/v1/received") { call in
            let page = try await call.library.received(
                of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("messages", page) { $0.field($1) }
        },
    ]
}
