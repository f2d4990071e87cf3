internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// What the script of an open page listens to: EventSource sends the cookie, and no other credential.
    static let liveRoutes: [PageRoute] = [
        .get("/library/events") { call in
            guard call.wantsEvents else { throw RequestError.onlyEvents }
            return try await call.changeStream()
        }.streamed
    ]
}
