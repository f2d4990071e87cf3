internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Changes as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as they happen.
struct ChangeStream: Sendable {
    private static let pageSize = 500

    let call: any UserCall

    /// Versions that the client has of what is not in the feed of changes; nil for those of this moment.
    struct Versions: Sendable {
        var news: Int64?
        var drives: Int64?
    }

    func response(after cursor: ChangeCursor?, _ versions: Versions = Versions()) async throws -> Response {
        let user = try call.userID
        guard let permit = call.parts.notifier.permit(for: user) else {
            throw RequestError.tooManyStreams(ChangeNotifier.maxStreams)
        }
        // An invalid request gets a status, before the stream begins.
        let first = try await call.library.changes(of: user, after: cursor, limit: Self.pageSize)
        return .events { body in
            try await call.parts.notifier.subscribing(with: permit, body)
        } send: { writer, subscription in
            try await send(to: &writer, first: first, versions, subscription)
        }
    }

    private func send(
        to writer: inout any ResponseBodyWriter, first: ChangePage, _ versions: Versions,
        _ subscription: StreamSubscription
    ) async throws {
        var page = first
        var previewCount = previewNews?.count ?? 0
        var newsVersion: Int64
        if let version = versions.news {
            newsVersion = version
        } else {
            newsVersion = try await call.news.newsVersion(of: subscription.user)
        }
        var driveVersion = versions.drives
        if driveVersion == nil { driveVersion = try await driveStore?.driveVersion(of: subscription.user) }
        try await writer.write(events(page, of: subscription.user, isFirst: true))
        while !Task.isCancelled, !subscription.hasEnded {
            let known = subscription.count
            // Checked in each round, also while changes never cease.
            guard await call.isStillSignedIn() else { return }
            if let previews = try await previews(after: &previewCount, of: subscription.user) {
                _ = subscription.takeHeartbeat()
                try await writer.write(previews)
            }
            if let news = try await unreadNews(after: &newsVersion, of: subscription.user) {
                _ = subscription.takeHeartbeat()
                try await writer.write(news)
            }
            if let transfers = try await transfers(after: &driveVersion, of: subscription.user) {
                _ = subscription.takeHeartbeat()
                try await writer.write(transfers)
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

    private var previewNews: PreviewNews? { call.parts.previews?.source.news }

    /// Events for files whose thumbnail became ready, or failed, since the first `count` ones; nil for none. A client
    /// that reconnects gets them from lists, not from its cursor.
    private func previews(after count: inout Int, of user: User.ID) async throws -> ByteBuffer? {
        guard let previewNews, previewNews.count != count else { return nil }
        let (contents, now) = previewNews.contents(after: count)
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

    /// An event with the numbers of unread items when the news of the user changed since a version; nil otherwise.
    private func unreadNews(after version: inout Int64, of user: User.ID) async throws -> ByteBuffer? {
        guard call.parts.newsIsOn() else { return nil }
        let now = try await call.news.newsVersion(of: user)
        guard now != version else { return nil }
        version = now
        let counts = try await call.news.newsCounts(of: user)
        var bytes = ByteBuffer()
        bytes.writeEvent("news") { json in
            json.field(counts)
            json.field("version", now)
        }
        return bytes
    }

    private var driveStore: (any DriveStore)? { call.hasDrives ? call.parts.store.drives : nil }

    /// An event with the latest transfers when the drives or transfers of the user changed since a version; nil
    /// otherwise.
    private func transfers(after version: inout Int64?, of user: User.ID) async throws -> ByteBuffer? {
        guard let driveStore, case let now = try await driveStore.driveVersion(of: user), now != version else {
            return nil
        }
        version = now
        let latest = try await driveStore.transfers(of: user, PageQuery(limit: Self.shownTransfers)).items
        var bytes = ByteBuffer()
        bytes.writeEvent("transfers") { json in
            json.objects("transfers", latest) { $0.fieldOfProgress($1) }
            json.field("version", now)
        }
        return bytes
    }

    /// The number of transfers in one event: more than a page shows at once.
    private static let shownTransfers = 50

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
