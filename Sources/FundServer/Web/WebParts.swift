internal import FundCore

/// What the handlers of the web API use.
package struct WebParts: Sendable {
    package var store: ServerStore
    package var authenticator: Authenticator
    package var downloads: Downloads
    package var uploads: UploadIntake
    package var desk: any MisroutedDesk
    package var limits: ServerLimits
    package var logins: UnprovenBodies
    let changes: ChangeSignal
    let contents: ContentDirectory
    let cursors: CursorSeal
    let changeCursors: ChangeCursorSeal

    /// Throws when the server key cannot be read.
    package init(
        store: ServerStore, authenticator: Authenticator, downloads: Downloads, uploads: UploadIntake,
        desk: any MisroutedDesk, limits: ServerLimits, logins: UnprovenBodies
    ) throws {
        self.store = store
        self.authenticator = authenticator
        self.downloads = downloads
        self.uploads = uploads
        self.desk = desk
        self.limits = limits
        self.logins = logins
        changes = ChangeSignal(store: store.library)
        contents = ContentDirectory(store: store.library)
        let key = try store.accounts.serverKey()
        cursors = CursorSeal(serverKey: key)
        changeCursors = ChangeCursorSeal(serverKey: key)
    }
}
