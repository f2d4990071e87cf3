internal import FundHTTP
package import FundCore
package import Ingest
internal import Logging

/// The parts that the interfaces of the server are made of: the store, and what the program around the server knows.
package struct ServerParts: Sendable {
    let store: ServerStore
    let desk: DeskService
    let mailboxes: any MailboxPolling
    let check: any SetupCheck
    package var accounts = AccountSettings()
    /// Checks behind `/readyz`.
    package var checks: [HealthCheck] = []
    /// Figures that administrators see beside the checks.
    package var healthFigures: @Sendable () async -> HealthFigures = { HealthFigures() }
    /// Contents that the scanner for malware could not look at, the latest first, up to `limit`.
    package var failedScans: @Sendable (_ limit: Int) async -> [FailedScan] = { _ in [] }
    /// Further metrics of `/metrics`.
    package var moreMetrics: @Sendable () async -> [MetricFamily] = { [] }
    /// Without one, mail is shown as text alone.
    package var sanitizer: (any MailSanitizer)?
    /// Whether there is news; while there is none, its pages and calls are not there.
    package var newsIsOn: @Sendable () -> Bool = { true }
    /// Finds feeds and fetches those that are new; without one, addresses are taken at their word.
    package var newsSource: (any NewsSource)?
    /// Reads lists of feeds; without one, none can be imported.
    package var feedParser: (any FeedParser)?
    /// Acts on people's drives; nil where drives are off.
    package var drives: (any DriveOperations)?
    /// Signs people in on the pages of stores; nil where no store has such pages.
    package var driveSigningIn: (any DriveSigningIn)?
    /// Sends tests to people's webhooks; nil where webhooks are off.
    package var webhooks: (any WebhookSending)?
    /// Without one, files have no previews.
    package var previews: (any PreviewSource)?
    /// Files of kept mail from which previews are made.
    package var keptFiles = KeptFiles()
    /// To what people write mail for their funds, for the pages' address cards; nil when it is not known.
    package var mailAddress: @Sendable () -> String? = { nil }
    /// The server that letters are handed to; nil while letters are off.
    package var letterServer: @Sendable () -> LetterServer? = { nil }
    /// Whether people share by links; see `ShareLinks`.
    package var linksAreOn: @Sendable () -> Bool = { true }
    /// Profiles that set up people's devices; nil offers none.
    package var profiles: (any ProfileSource)?
    /// The company's directory of people; nil without one.
    package var directory: @Sendable () -> CompanyDirectory? = { nil }
    /// Days for which what people delete can be restored, for the page of the trash; nil for good.
    package var restorableDays: @Sendable () -> Int? = { nil }
    /// For the first start, and for adding mailboxes in a browser.
    package var setup = SetupParts()
    /// The logins that visitors of a demo are offered; nil for a store of people's own.
    package var demo: DemoSite?
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - mailboxes: those that the program polls beside the server.
    ///   - check: what administrators see of the set-up.
    package init(
        store: ServerStore, desk: DeskService, mailboxes: any MailboxPolling, check: any SetupCheck,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.desk = desk
        self.mailboxes = mailboxes
        self.check = check
        self.now = now
    }

    /// All interfaces of the server. Throws when the server key cannot be read.
    func interfaces(
        _ settings: HTTPServer.Settings, metrics: ServerMetrics, logger: Logger
    ) throws -> [any ServerInterface] {
        let key = try store.accounts.serverKey()
        let authenticator = try Authenticator(store: store.accounts, settings: accounts, now: now)
        let downloads = Downloads(
            files: store.library, accounts: store.accounts, logger: logger)
        let uploads = UploadIntake(files: store.library, limits: settings.limits)
        let forms = UnprovenBodies(limits: settings.limits)
        let logins = UnprovenBodies(limits: settings.limits, further: forms)
        let readers = BodyReaders()
        let readiness = Readiness(checks)
        let web = ApplicationParts(
            store: store, authenticator: authenticator, downloads: downloads,
            zipFiles: ZipFiles(library: store.library, downloads: downloads, uploads: store.library),
            uploads: uploads,
            resumable: ResumableIntake(limits: settings.limits), desk: desk,
            limits: settings.limits, logins: logins, forms: forms, bodies: UserBodies(limits: settings.limits),
            readers: readers,
            notifier: ChangeNotifier(
                library: store.library, accounts: store.accounts, news: store.news, drives: store.drives,
                previews: previews?.news),
            deskNotifier: DeskNotifier(desk: store.administration, commits: store.library.commits),
            contents: ContentDirectory(store: store.library, archive: store.archive), keptFiles: keptFiles,
            previews: previews.map { PreviewResponses(source: $0) },
            newsPDFs: previews.map { [sanitizer] in NewsPDFs(source: $0, sanitizer: sanitizer) },
            links: ShareLinks(
                store: store.links, authenticator: authenticator, serverKey: key, commits: store.library.commits,
                previews: previews, publicURL: settings.publicURL, isOn: linksAreOn),
            people: PeopleIndexes(store: store.contacts, company: directory), directory: directory,
            cursors: CursorSeal(serverKey: key), changeCursors: ChangeCursorSeal(serverKey: key), sanitizer: sanitizer,
            newsIsOn: newsIsOn, newsSource: newsSource, feedParser: feedParser, drives: drives,
            driveSigningIn: driveSigningIn, webhooks: webhooks,
            health: HealthOverview(register: store.administration, readiness: readiness, figures: healthFigures),
            failedScans: failedScans, letterServer: letterServer, profiles: profiles,
            mailboxes: MailboxService(
                register: store.mail, polling: mailboxes, audit: store.accounts, commits: store.library.commits),
            doctor: DoctorService(check: check, audit: store.accounts, now: now))
        let cards = CardDAV(
            contacts: store.contacts, library: store.library, authenticator: authenticator, directory: directory)
        let (storeMetrics, more) = (StoreMetrics(store: store, now: now), moreMetrics)
        let pages = try PageParts(
            web, serverKey: key, publicURL: settings.publicURL, publicAuthorities: settings.publicAuthorities,
            mailAddress: mailAddress, setup: setup, demo: demo, restorableDays: restorableDays)
        return [
            WebAPI(parts: web), Pages(parts: pages), SharedPages(parts: pages),
            MobileAPI(
                accounts: store.accounts, library: store.library, authenticator: authenticator, downloads: downloads,
                unproven: UnprovenBodies(limits: settings.limits), logins: logins, readers: readers),
            WebDAV(
                library: store.library, authenticator: authenticator, downloads: downloads, uploads: uploads,
                checksums: BlobChecksums(files: store.library),
                paths: VersionedValues(maxEntries: DAVResource.Key.maxKept) { [library = store.library] in
                    try library.dataVersion()
                },
                publicAuthorities: settings.publicAuthorities, cards: cards),
            cards,
            Operations(
                authenticator: authenticator, readiness: readiness, isBehindProxy: settings.isBehindProxy
            ) {
                await metrics.families() + ProcessMetrics.families() + [authenticator.refusals.family] + more()
                    + (try await storeMetrics.families())
            },
        ]
    }
}
