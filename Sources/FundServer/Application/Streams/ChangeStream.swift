internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Changes as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as they happen.
struct ChangeStream: Sendable {
    private static let pageSize = 500

    let call: any UserCall

    func response(after cursor: ChangeCursor?) async throws -> Response {
        let user = try call.userID
        guard let permit = call.parts.notifier.permit(for: user) else {
            throw RequestError.tooManyStreams(ChangeNotifier.maxStreams)
        }
        // An invalid request gets a status, before the stream begins.
        let first = try await call.library.changes(of: user, after: cursor, limit: Self.pageSize)
        return .events { body in
            try await call.parts.notifier.subscribing(with: permit, body)
        } send: { writer, subscription in
            try await send(to: &writer, first: first, subscription)
        }
    }

    private func send(
        to writer: inout any ResponseBodyWriter, first: ChangePage, _ subscription: StreamSubscription
    ) async throws {
        var page = first
        var previewCount = news?.count ?? 0
        try await writer.write(events(page, of: subscription.user, isFirst: true))
        while !Task.isCancelled, !subscription.hasEnded {
            let known = subscription.count
            // Checked in each round, also while changes never cease.
            guard await call.isStillSignedIn() else { return }
            if let previews = try await previews(after: &previewCount, of: subscription.user) {
                _ = subscription.takeHeartbeat()
                try await writer.write(previews)
            }
            if page.hasMore || subscription.takeNews() {
                page = try await call.library.changes(
                    of: subscription.user, after: page.cursor, limit: Self.pageSize)
                if !page.changes.isEmpty {
                    _ = subscription.takeHeartbeat()
                    try await writer.write(events(page, of: subscription.user, isFirst: false))
                }
            } else {
                if subscription.takeHeartbeat() { try await writer.write(ByteBuffer(string: ":\n\n")) }
                await subscription.wait(after: known)
            }
        }
    }

    private var news: PreviewNews? { call.parts.previews?.source.news }

    /// Events for files whose thumbnail became ready, or failed, since the first `count` ones; nil for none. A client
    /// that reconnects gets them from lists, not from its cursor.
    private func previews(after count: inout Int, of user: User.ID) async throws -> ByteBuffer? {
        guard let news, news.count != count else { return nil }
        let (contents, now) = news.contents(after: count)
        count = now
        let files = try await call.library.files(with: contents, of: user)
        guard !files.isEmpty else { return nil }
        var previews = await call.previews(of: files.map(PreviewedFile.init)).makeIterator()
        var bytes = ByteBuffer()
        for file in files {
            bytes.writeEvent("preview") { json in
                json.field(LibraryItemID.file(file.id))
                json.field(previews.next(), of: file.id)
            }
        }
        return bytes
    }

    private func events(_ page: ChangePage, of user: User.ID, isFirst: Bool) -> ByteBuffer {
        // Milliseconds after which a client reconnects.
        var bytes = ByteBuffer(string: isFirst ? "retry: 3000\n\n" : "")
        for change in page.changes {
            let cursor = call.parts.changeCursors.seal(change.cursor, for: user)
            bytes.writeString("id: \(cursor)\n")
            bytes.writeEvent("change") { $0.field(change, cursor: cursor) }
        }
        return bytes
    }
}
