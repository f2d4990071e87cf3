/// The server as the synchronization sees it.
///
/// All calls throw `ClientError`. Those that change something do so only if it is still what the caller saw: else
/// they throw `preconditionFailed`, `conflict` or `notFound`, and nothing was changed.
protocol RemoteSide: Sendable {
    /// All that is there now.
    func listing() async throws(ClientError) -> any RemoteListing
    /// A new fund or folder.
    func make(_ kind: SyncKind, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    func move(_ node: RemoteNode, to parent: RemoteKey?, named name: String) async throws(ClientError) -> RemoteNode
    /// Deletes a thing into the server's trash.
    func delete(_ node: RemoteNode) async throws(ClientError)
    /// A new file.
    func upload(_ source: FileSource, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    /// Other bytes for a file whose bytes are those of `node` now. The old ones go to the server's trash.
    func replace(_ node: RemoteNode, with source: FileSource) async throws(ClientError) -> RemoteNode
    /// The bytes of a file from an offset on, or another content from its beginning when the file has one by now.
    func content(of node: RemoteNode, from offset: Int64) async throws(ClientError) -> Content
    /// Returns when something changed since `listing` was called last. Throws when the connection ends.
    func waitForNews() async throws
    /// Where it may keep what it needs to go on with an upload after a kill.
    func remember(in state: SyncState)
}

extension RemoteSide {
    func remember(in state: SyncState) {}
}
