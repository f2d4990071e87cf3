/// The person who acts at the desk.
package struct DeskActor: Sendable {
    /// Address or name of a login, for the audit trail.
    package let name: String
    /// Whether they may still act: asked before each message, since an act about many takes a while. The transaction of
    /// the store asks again whether a user is an administrator.
    let isAllowed: @Sendable () async -> Bool

    package init(_ name: String, isAllowed: @escaping @Sendable () async -> Bool) {
        (self.name, self.isAllowed) = (name, isAllowed)
    }
}
