internal import Hummingbird
internal import FundCore

/// Letters that go out, for administrators.
extension WebRoute {
    static let outboxRoutes: [WebRoute] = [
        .get("/v1/admin/outbox", .administrator) { call in
            let query = try call.query()
            let page = try await call.outbox.letters(
                try call.outboxFilter(query), try call.page(query, default: 100))
            let messages = try await call.administration.messages(of: page.items.map(\.cause))
            return try call.list("letters", page) { $0.field($1, messages[$1.cause]) }
        },
        .get("/v1/admin/outbox/{letter}", .administrator) { call in try await answer(call) },
        .post("/v1/admin/outbox/{letter}/retry", .administrator) { call in
            try await call.outbox.retryLetter(
                try call.id("letter"), mayArriveTwice: try call.query().flag("may_arrive_twice"),
                actor: try call.user.email)
            return try await answer(call)
        },
        .post("/v1/admin/outbox/{letter}/drop", .administrator) { call in
            try await call.outbox.dropLetter(try call.id("letter"), actor: try call.user.email)
            return try await answer(call)
        },
    ]

    private static func answer(_ call: WebCall) async throws -> Response {
        let (letter, message) = try await call.letter()
        return call.json { $0.field(letter, message) }
    }
}
