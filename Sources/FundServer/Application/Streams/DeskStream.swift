internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The state of the misrouted desk as server-sent events
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html). Each has the whole state: none can be missed.
struct DeskStream: Sendable {
    private struct Moment: Equatable {
        var version: DeskVersion
        var readers: [DeskNotifier.Reader]
    }

    let call: any UserCall

    /// Throws 429 when the administrator has too many streams.
    func response() async throws -> Response {
        guard let permit = call.parts.deskNotifier.permit(for: try call.userID) else {
            throw RequestError.tooManyStreams(DeskNotifier.maxStreams)
        }
        return .events { body in
            try await call.parts.deskNotifier.subscribing(with: permit, body)
        } send: { writer, subscription in
            try await send(to: &writer, subscription)
        }
    }

    private func send(to writer: inout any ResponseBodyWriter, _ subscription: StreamSubscription) async throws {
        // Milliseconds after which a client reconnects.
        try await writer.write(ByteBuffer(string: "retry: 3000\n\n"))
        var told: Moment?
        while !Task.isCancelled, !subscription.hasEnded {
            let known = subscription.count
            // In each round: a role that was taken away ends the stream.
            guard await call.isStillAdministrator() else { return }
            let moment = try await moment()
            if moment != told {
                _ = subscription.takeHeartbeat()
                var bytes = ByteBuffer()
                bytes.writeEvent("desk") { Self.write(moment, to: &$0) }
                try await writer.write(bytes)
                told = moment
            } else {
                if subscription.takeHeartbeat() { try await writer.write(ByteBuffer(string: ":\n\n")) }
                await subscription.wait(after: known)
            }
        }
    }

    private func moment() async throws -> Moment {
        let own = try call.userID
        return Moment(
            version: try await call.administration.deskVersion(),
            readers: call.parts.deskNotifier.readers().filter { $0.user != own })
    }

    /// The present state, for who does not listen.
    func json() async throws -> Response {
        let moment = try await moment()
        return call.json { Self.write(moment, to: &$0) }
    }

    private static func write(_ moment: Moment, to json: inout JSONWriter) {
        json.field("version", moment.version.text)
        json.field("open", moment.version.openCount)
        json.objects("readers", moment.readers) { json, reader in
            json.field("message", reader.message)
            json.field("name", reader.name)
        }
    }
}

extension DeskVersion {
    /// To be compared, and nothing else.
    var text: String { "\(lastMessage)-\(lastStep)-\(openCount)" }
}
