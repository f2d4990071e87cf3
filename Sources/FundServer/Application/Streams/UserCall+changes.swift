internal import FundHTTP
internal import FundCore
internal import Hummingbird

extension UserCall {
    /// The point in the feed of changes behind a number that this user got; nil and 0 are its beginning. Throws 410 for
    /// a number out of range.
    func changeCursor(_ number: Int64?) throws -> ChangeCursor? {
        guard let number, number != 0 else { return nil }
        guard let cursor = parts.changeCursors.open(number, for: try userID) else { throw RequestError.outdated }
        return cursor
    }

    var wantsEvents: Bool { request.headers[.accept]?.contains("text/event-stream") == true }

    /// Changes as they happen, behind the last that the sender has: a client that reconnects sends its cursor (HTML
    /// §9.2.3).
    func changeStream() async throws -> Response {
        let resumed = request.headers[.lastEventID].flatMap { QueryText.number($0) }
        let since = try query().number("since")
        return try await ChangeStream(call: self).response(
            after: try changeCursor(resumed ?? since),
            ChangeStream.Versions(news: try query().number("news"), drives: try query().number("drives")))
    }
}
