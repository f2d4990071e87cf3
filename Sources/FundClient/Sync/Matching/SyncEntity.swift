/// One thing, with what each side has of it.
struct SyncEntity: Sendable {
    typealias ID = Int

    var kind: SyncKind
    var base: BaseRow?
    /// An index into the nodes of the local tree.
    var local: Int?
    /// Parent of the local node now; nil is the top.
    var localParent: ID?
    var remote: RemoteNode?
    /// Parent on the server now; nil is the top.
    var remoteParent: ID?
    /// Parent in the end; nil is the top.
    var parent: ID?
    var name: String
}
