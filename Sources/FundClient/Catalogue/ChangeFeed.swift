/// Source of changes for a catalogue: a `Session`.
public protocol ChangeFeed: Sendable {
    /// Returns this feed with calls that are made once each: `CatalogueSync.follow` retries.
    func withoutRetries() -> Self

    /// Changes behind a cursor; fails with `outdated` when the server does not know the cursor.
    func changes(since: ChangeCursor, withItems: Bool, limit: Int) async throws(ClientError) -> ChangePage

    /// Changes as they happen; ends when the connection does.
    func events(since: ChangeCursor) -> AsyncThrowingStream<Change, any Error>
}

extension ChangeFeed {
    /// For feeds that never repeat a call.
    public func withoutRetries() -> Self { self }
}
