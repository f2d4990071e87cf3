internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore
internal import ServiceLifecycle
internal import Synchronization

/// Changes as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as they happen.
struct ChangeStream: Sendable {
    private static let pause = Duration.seconds(1)
    /// A comment is sent at least this often, so that a broken connection is noticed.
    private static let heartbeat = Duration.seconds(15)
    private static let pageSize = 500

    let call: WebCall

    func response(after cursor: ChangeCursor?) async throws -> Response {
        let user = try call.userID
        // An invalid request gets a status, before the stream begins.
        let first = try await call.library.changes(of: user, after: cursor, limit: Self.pageSize)
        let body = ResponseBody { writer in
            let isStopping = Atomic<Bool>(false)
            try await withGracefulShutdownHandler {
                try await send(to: &writer, first: first, user: user) { isStopping.load(ordering: .relaxed) }
            } onGracefulShutdown: {
                isStopping.store(true, ordering: .relaxed)
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"], body: body)
    }

    private func send(to writer: inout any ResponseBodyWriter, first: ChangePage, user: User.ID, isStopping: () -> Bool)
        async throws
    {
        var page = first
        var counter: Int64 = -1
        var lastSent = ContinuousClock.now
        try await writer.write(events(page, of: user, isFirst: true))
        while !Task.isCancelled, !isStopping() {
            if !page.hasMore {
                guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            }
            // Checked in each round, also while changes never cease.
            guard await call.isStillSignedIn() else { return }
            if !page.hasMore {
                if ContinuousClock.now - lastSent >= Self.heartbeat {
                    try await writer.write(ByteBuffer(string: ":\n\n"))
                    lastSent = .now
                }
                let now = try await call.parts.changeCounter.value { [library = call.library] in
                    try await library.changeCounter()
                }
                guard now != counter else { continue }
                counter = now
            }
            page = try await call.library.changes(of: user, after: page.cursor, limit: Self.pageSize)
            guard !page.changes.isEmpty else { continue }
            try await writer.write(events(page, of: user, isFirst: false))
            lastSent = .now
        }
    }

    private func events(_ page: ChangePage, of user: User.ID, isFirst: Bool) -> ByteBuffer {
        // Milliseconds after which a client reconnects.
        var bytes = ByteBuffer(string: isFirst ? "retry: 3000\n\n" : "")
        for change in page.changes {
            let cursor = call.parts.changeCursors.seal(change.cursor, for: user)
            var json = JSONWriter()
            json.object { $0.field(change, cursor: cursor) }
            bytes.writeString("id: \(cursor)\nevent: change\ndata: ")
            bytes.writeBytes(json.bytes)
            bytes.writeString("\n\n")
        }
        return bytes
    }
}
