package import FundCore
package import Ingest
package import Logging

/// What the interfaces of the server are made of: the store, and what the program around the server knows.
package struct ServerParts: Sendable {
    package var store: ServerStore
    package var refiling: RefilingService
    package var accounts = AccountSettings()
    /// Checks behind `/readyz`.
    package var checks: [HealthCheck] = []
    /// Further metrics of `/metrics`.
    package var moreMetrics: @Sendable () async -> [MetricFamily] = { [] }
    package var now: @Sendable () -> Timestamp

    package init(store: ServerStore, refiling: RefilingService, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.refiling = refiling
        self.now = now
    }

    /// All interfaces of the server. Throws when the server key cannot be read.
    package func interfaces(
        _ settings: HTTPServer.Settings, metrics: ServerMetrics, logger: Logger
    ) throws -> [any ServerInterface] {
        let authenticator = try Authenticator(store: store.accounts, settings: accounts, now: now)
        let downloads = Downloads(
            files: store.library, accounts: store.accounts, accelRedirect: settings.accelRedirect, logger: logger)
        let logins = UnprovenBodies(limits: settings.limits)
        let web = try WebParts(
            store: store, authenticator: authenticator, downloads: downloads,
            uploads: UploadIntake(files: store.library, limits: settings.limits), refiling: refiling,
            limits: settings.limits,
            logins: logins)
        let storeMetrics = StoreMetrics(store: store, now: now)
        let (more, isBehindProxy) = (moreMetrics, settings.isBehindProxy)
        return [
            WebAPI(web),
            MobileAPI(
                accounts: store.accounts, library: store.library, authenticator: authenticator, downloads: downloads,
                unproven: UnprovenBodies(limits: settings.limits), logins: logins),
            WebDAV(
                library: store.library, authenticator: authenticator, downloads: downloads, limits: settings.limits,
                publicAuthorities: settings.publicAuthorities),
            Operations(authenticator: authenticator, checks: checks, isBehindProxy: isBehindProxy) {
                await metrics.families() + ProcessMetrics.families() + [authenticator.refusals.family] + more()
                    + (try await storeMetrics.families())
            },
        ]
    }
}
