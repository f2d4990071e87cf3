internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Events for the script of an open page: EventSource sends the cookie, and no other credential.
    static let liveRoutes: [PageRoute] = [
        .get("/library/events") { call in
            guard call.wantsEvents else { throw RequestError.onlyEvents }
            return try await call.changeStream()
        }.streamed
    ]
}
