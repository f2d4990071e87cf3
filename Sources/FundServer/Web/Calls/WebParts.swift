internal import FundCore
package import Ingest

/// What the handlers of the web API use.
package struct WebParts: Sendable {
    package var store: ServerStore
    package var authenticator: Authenticator
    package var downloads: Downloads
    package var uploads: UploadIntake
    package var refiling: RefilingService
    package var limits: ServerLimits
    package var logins: UnprovenBodies
    /// The store's counter of changes, read once for all streams of changes.
    let changeCounter = FreshValues<Unkeyed, Int64>(lifetime: .milliseconds(500))
    let contents: ContentDirectory
    let cursors: CursorSeal
    let changeCursors: ChangeCursorSeal

    /// Throws when the server key cannot be read.
    package init(
        store: ServerStore, authenticator: Authenticator, downloads: Downloads, uploads: UploadIntake,
        refiling: RefilingService, limits: ServerLimits, logins: UnprovenBodies
    ) throws {
        self.store = store
        self.authenticator = authenticator
        self.downloads = downloads
        self.uploads = uploads
        self.refiling = refiling
        self.limits = limits
        self.logins = logins
        contents = ContentDirectory(store: store.library)
        let key = try store.accounts.serverKey()
        cursors = CursorSeal(serverKey: key)
        changeCursors = ChangeCursorSeal(serverKey: key)
    }
}
