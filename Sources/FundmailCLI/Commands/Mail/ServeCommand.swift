internal import MailConnection
import ArgumentParser
import FundCore
import FundHTTP
import FundPreview
import FundServer
import FundStore
import Glibc
import Ingest
import Logging
import MailParse
import MailSend
import MailWatch
import NewsFetch
import ServiceLifecycle
import Terminal

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Keep running: file mail when it arrives, and serve filed mail over HTTP.",
        discussion: """
            Does what `watch` does, fetches the feeds that people have added, tells their webhooks what changed, and \
            serves the mobile API, the web API (/api/v1), WebDAV (/dav/) and /healthz, /readyz and /metrics where \
            `server: listen` says. SIGHUP reads the configuration and the certificate again; the certificate is read \
            again by itself when its file changes. SIGTERM ends it: downloads and the batch under way are finished \
            first. It tells systemd how it is doing.

            Exit status: 0 it was told to end; 69 the address is taken; 73 the store is damaged; 75 the store is \
            busy; 78 configuration.

            With --demo it serves a made-up office instead: people, funds and a week of mail, in a temporary folder \
            that is removed at the end, and made anew each hour. Nothing is set up before, nothing is left behind, \
            and no mail comes or goes.

            Examples:
              fundmail serve --log-format json --log-level info
              fundmail serve --demo
            """)

    @OptionGroup var demoOptions: DemoOptions
    @OptionGroup var tracing: TraceOption
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try demoOptions.check(beside: globals) }

    func run() async throws {
        guard demoOptions.isOn else { return try await serve(globals) }
        let demo = try Demo(demoOptions)
        do {
            var globals = globals
            globals.config = demo.configuration
            try await demo.fill(try Workspace(globals))
            if !demo.signals.isReceived { try await serve(globals, demo) }
        } catch {
            demo.remove()
            throw error
        }
        demo.remove()
        if demo.isToBeginAnew { try demo.beginAnew() }
    }

    private func serve(_ globals: GlobalOptions, _ demo: Demo? = nil) async throws {
        let reloading = ReloadSignal(hearsSignal: demo == nil)
        let workspace = try Workspace(globals)
        let live = LiveConfiguration(workspace.configuration)
        let server = workspace.configuration.server ?? ServerConfiguration()
        let settings = try server.settings()
        let trace = try tracing.open()
        ServingProcess.prepare()
        ProcessMemory.keep()
        let logger = Logger(label: "fundmail.serve")
        let certificates = try server.tls.map { files in
            try Self.using(files) {
                try CertificateSource(
                    certificateFile: files.certificateFile, keyFile: files.keyFile, logger: logger)
            }
        }
        let store = try workspace.openStoreForRun()
        do { try await store.library.beginChangeEpoch() } catch {
            // On a full disk, for example: what is stored can still be read.
            logger.error(
                "clients of the change feed will not be told if this store was restored from a backup: \(error)")
        }
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path)
        // Children of their own, so that readers of mail do not wait for mail that comes in, and neither of them for
        // previews of files that are mails.
        let sanitizer = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 2)
        let mailReader = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 1)
        // Feeds of the schedule do not wait for what people bring and search, and people do not wait for feeds. One
        // person may have two searches and an import at a time.
        let feedReader = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: 1)
        let listReader = workspace.parser(
            stagingDirectory: store.mail.spool.path, concurrency: 4, maxFeedSeconds: 5)
        let cancellation = Cancellation()
        let mailboxes = MailboxWatch(
            workspace.pollingParts(store, parser, for: "serve", until: cancellation, trace: trace),
            workspace.configuration.mailboxes)
        let watch = MailWatchService(mailboxes)
        let notice = ServiceNotice()
        let check = ServerCheck(workspace: workspace, live: live, store: store)
        let digests = DigestQueue(store, live)
        let relay = OutboxRelay(
            store, live, workspace.configuration.smtp?.route(trace: trace), digests: digests,
            observe: RelayLog().write)
        var parts = Self.parts(live, store, parser, mailboxes, check)
        parts.letterServer = { live.value.letterServer(taking: relay.status.maxMessageBytes) }
        let directory = DirectoryService(
            configuration: { live.value.directory }, cacheFolder: store.cacheFolder, cancellation: cancellation,
            logger: logger)
        let monitor = ServerMonitor(
            store: store, parser: parser, watch: watch, relay: relay, directory: directory)
        parts.checks = monitor.checks
        parts.healthFigures = { await monitor.figures() }
        if live.value.scan != nil { parts.failedScans = { await monitor.failedScans($0) } }
        parts.moreMetrics = { await monitor.families() }
        parts.sanitizer = sanitizer
        let feeds = NewsMetrics(store: store) { live.value.news }
        let news = NewsFetcher(
            store.news, feedReader, searchParser: listReader, reach: DebugSwitches.newsReach,
            cancellation: cancellation, isOn: { live.value.news }
        ) { event in
            NewsLog().write(event)
            feeds.note(event)
        }
        (parts.newsSource, parts.feedParser) = (news, listReader)
        let drives: DriveServing?
        if let rules = workspace.configuration.drives {
            drives = try await DriveServing(rules, store, logger)
        } else {
            drives = nil
        }
        if let drives {
            (parts.drives, parts.driveSigningIn) = (drives.operations, drives.signingIn)
            let others = parts.moreMetrics
            parts.moreMetrics = { await others() + drives.transfers.families() }
        }
        let webhooks = workspace.configuration.webhooks.map {
            WebhookService($0, store, lettersAreOn: { live.value.smtp != nil }, cancellation: cancellation)
        }
        if let webhooks {
            parts.webhooks = webhooks.sender
            parts.moreMetrics = { [others = parts.moreMetrics] in await others() + webhooks.families() }
        }
        let previews = workspace.configuration.previews.map {
            PreviewMaking(
                $0, workspace.configuration.scan, store, mails: (mailReader, workspace.configuration.limits),
                keptFiles: parts.keptFiles)
        }
        parts.previews = previews?.source
        if let previews {
            let (metrics, others) = (PreviewMetrics(workers: previews.workers, store: store), parts.moreMetrics)
            parts.moreMetrics = { await others() + metrics.families() }
        }
        let letters = RelayMetrics(relay: relay, digests: digests, store: store)
        parts.moreMetrics = { [others = parts.moreMetrics] in
            await others() + letters.families() + feeds.families()
        }
        parts.directory = { directory.current }
        if let demo {
            demo.adapt(&parts)
        } else {
            Self.addSetup(to: &parts.setup, workspace, live, reloading)
        }
        if try await !store.administration.hasAdministrator() { parts.setup.code = SetupCode() }
        let http = try HTTPServer(settings, parts: parts, certificates: certificates, logger: logger) {
            [code = parts.setup.code] port in
            logger.notice("\(Self.greeting(server, port, workspace.configuration))")
            // Whether it can be shown or not, it is there.
            try? demo?.announce(Self.address(server, server.host, port))
            if let code { Self.showSetup(code, server, port, logger) }
            notice.ready()
        }
        let upkeep = LibraryUpkeep(store: store, retention: { live.value.retention }, logger: logger)
        let sampler = HealthSampler(
            store: store, requestFailures: { http.requestFailures },
            mailboxes: { Set(live.value.mailboxes.map(\.name)) }, logger: logger)
        let reload = ConfigurationReload(workspace: workspace, live: live, signal: reloading, logger: logger) { new in
            // Connections from now on use these files.
            guard let certificates, let files = new.server?.tls else { return }
            try Self.using(files) {
                try certificates.reload(certificateFile: files.certificateFile, keyFile: files.keyFile)
            }
        } apply: {
            store.limitStorage($0.quota)
            mailboxes.update($0.pollingRules, $0.mailboxes)
            // Also where nothing changed: a secret in a file may have, and a pause ends.
            relay.update($0.smtp?.route(trace: trace))
            news.hurry()
        }
        let watchdog = WatchdogService(notice: notice, cancellation: cancellation)
        // They end in reverse: the sampler has seen what all others did.
        let group = Self.group(
            [
                sampler, previews, RelayService(relay: relay), NewsService(fetcher: news), drives?.transfers, webhooks,
                watch, upkeep, BucketUpkeep(store: store, logger: logger, cancellation: cancellation), directory,
                certificates, watchdog, reload, demo?.clock, http,
            ], logger
        )
        let signals = demo?.signals ?? StopSignal(isQuiet: true)
        signals.whenStopped {
            logger.notice("ending after what was begun")
            notice.stopping()
            cancellation.cancel()
            Task { await group.triggerGracefulShutdown() }
        }
        do { try await group.run() } catch { throw Self.failure(error, server) }
        await parser.shutdown()
        await sanitizer.shutdown()
        await mailReader.shutdown()
        await feedReader.shutdown()
        await listReader.shutdown()
        try store.close()
        logger.notice("\(signals.number > 0 ? "ended by signal \(signals.number)" : "ended")")
    }

    /// Lets administrators add mailboxes, and the server for letters, to the configuration in a browser.
    private static func addSetup(
        to setup: inout SetupParts, _ workspace: Workspace, _ live: LiveConfiguration, _ reloading: ReloadSignal
    ) {
        let adder = ConfigurationAdder<MailboxDraft>(workspace: workspace, live: live) { reloading.request() }
        setup.addMailbox = { await adder.add($0, isKeptAnyway: $1, isAllowed: $2) }
        let letterServerAdder = ConfigurationAdder<LetterServerDraft>(workspace: workspace, live: live) {
            reloading.request()
        }
        setup.addLetterServer = { await letterServerAdder.add($0, isKeptAnyway: $1, isAllowed: $2) }
        setup.hasMailboxes = { !live.value.mailboxes.isEmpty }
    }

    private static func parts(
        _ live: LiveConfiguration, _ store: FundStore, _ parser: ParserPool, _ mailboxes: MailboxWatch,
        _ check: ServerCheck
    ) -> ServerParts {
        let refiling = RefilingService(
            mail: store.mail, parser: parser, limits: { live.value.limits },
            policy: { live.value.policy(for: $0, trust: $1) }, receipts: { live.value.receipts })
        let desk = DeskService(refiling: refiling, store: store.administration)
        var parts = ServerParts(
            store: ServerStore(store), desk: desk, mailboxes: mailboxes, check: check, now: { Timestamp.now })
        parts.accounts.scrypt = DebugSwitches.passwordCost
        if let server = live.value.server {
            parts.accounts.mobileLifetime = .seconds(server.mobileTokenSeconds)
            parts.accounts.webLifetime = .seconds(server.webTokenSeconds)
        }
        parts.accounts.secondFactors = { live.value.server?.secondFactor ?? .none }
        parts.mailAddress = { live.value.mailAddress }
        parts.linksAreOn = { live.value.links }
        parts.newsIsOn = { live.value.news }
        parts.profiles = DeviceProfiles(configuration: { live.value }, store: store)
        parts.restorableDays = { live.value.retention.deletedDays }
        return parts
    }

    /// Runs `body`, which reads the files of a certificate. Throws `CommandError` when they cannot be used.
    private static func using<Result>(
        _ files: ServerConfiguration.Certificate, _ body: () throws -> Result
    ) throws -> Result {
        do { return try body() } catch {
            throw CommandError(
                .configuration,
                "The certificate \(files.certificateFile) or its key \(files.keyFile) cannot be used: \(error).")
        }
    }

    /// The first service that ends ends the group: each retries temporary failures itself.
    private static func group(_ services: [(any Service)?], _ logger: Logger) -> ServiceGroup {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        var configuration = ServiceGroupConfiguration(
            services: services.compactMap { $0 }.map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            }, logger: quiet)
        configuration.maximumGracefulShutdownDuration = ServerLimits().shutdownDeadline
        return ServiceGroup(configuration: configuration)
    }

    private static func greeting(
        _ server: ServerConfiguration, _ port: Int, _ configuration: Configuration
    ) -> String {
        let names = configuration.mailboxes.map(\.name)
        let mail = names.isEmpty ? "no mailbox is configured" : "watching \(names.joined(separator: ", "))"
        return "serving on \(address(server, server.host, port)); \(mail)"
    }

    private static func address(_ server: ServerConfiguration, _ name: String, _ port: Int) -> String {
        "\(server.tls == nil ? "http" : "https")://\(IPAddress.urlHost(name)):\(port)"
    }

    /// Whatever is logged otherwise: without this line the store has no administrator.
    private static func showSetup(_ code: SetupCode, _ server: ServerConfiguration, _ port: Int, _ logger: Logger) {
        let isEverywhere = server.host == "0.0.0.0" || server.host == "::"
        let own = address(server, isEverywhere ? "localhost" : server.host, port)
        var console = logger
        console.logLevel = min(logger.logLevel, .notice)
        console.notice(
            "No administrator yet. Open \(server.publicURL ?? own)/setup and type this code: \(code.text)")
    }

    private static func failure(_ error: any Error, _ server: ServerConfiguration) -> any Error {
        guard ServingProcess.cannotListen(error) else { return error }
        return CommandError(
            .unavailable, "Cannot listen on \(server.host):\(server.port): \(error). Is another server running there?")
    }
}

extension ServerStore {
    init(_ store: FundStore) {
        self.init(
            accounts: store.accounts, library: store.library, archive: store.library.archive,
            administration: store.administration, mail: store.mail, quarantine: store.quarantine,
            outbox: store.outbox, letters: store.letters, links: store.links, contacts: store.contacts,
            news: store.news, drives: store.drives, webhooks: store.webhooks)
    }
}
