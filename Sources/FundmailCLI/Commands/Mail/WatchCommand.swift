internal import MailConnection
import ArgumentParser
import FundStore
import Glibc
import FundCore
import Logging
import MailFetch
import MailParse
import MailSend
import MailWatch

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Keep running: file mail when it arrives.",
        discussion: """
            Waits for new mail with IDLE where the server knows it, else looks at every `interval`. After errors it \
            tries again by itself, later and later. Log lines go to standard error. SIGHUP reads the configuration \
            again. SIGTERM ends it after what was begun: that is exit status 0. It tells systemd how it is doing \
            (Type=notify, WatchdogSec).

            Exit status: 0 it was told to end; 73 the store is damaged; 75 the store is busy; 78 \
            configuration.

            Example:
              fundmail watch --log-format json
            """)

    @Option(name: .customLong("mailbox"), help: ArgumentHelp("Only this mailbox; may be repeated.", valueName: "name"))
    var names: [String] = []

    @OptionGroup var tracing: TraceOption
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let reloading = ReloadSignal()
        let workspace = try Workspace(globals)
        let mailboxes = try workspace.mailboxes(named: names)
        let trace = try tracing.open()
        let logger = Logger(label: "fundmail.watch")
        let service = ServiceNotice()
        let cancellation = Cancellation()
        let signals = StopSignal(isQuiet: true) {
            logger.notice("ending after what was begun")
            service.stopping()
            cancellation.cancel()
        }
        let store = try workspace.openStoreForRun()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path)
        let parts = workspace.pollingParts(store, parser, for: "watch", until: cancellation, trace: trace)
        let watch = MailboxWatch(parts, mailboxes)
        let live = LiveConfiguration(workspace.configuration)
        let relay = OutboxRelay(
            store, live, workspace.configuration.smtp?.route(trace: trace),
            observe: RelayLog().write)
        let reload = ConfigurationReload(workspace: workspace, live: live, signal: reloading, logger: logger) {
            [names] in
            _ = try workspace.mailboxes(named: names, in: $0)
        } apply: { [names] new in
            store.limitStorage(new.quota)
            watch.update(new.pollingRules, (try? workspace.mailboxes(named: names, in: new)) ?? [])
            // Also where nothing changed: a secret in a file may have, and a pause ends.
            relay.update(new.smtp?.route(trace: trace))
        }
        logger.notice("watching \(mailboxes.map(\.name).joined(separator: ", "))")
        service.ready()
        // They end with the watch: it returns when cancelled, and cancels what it shares when it fails.
        async let watchdog: Void = service.beat(until: cancellation)
        async let upkeep: Void = Retention.keepApplying({ live.value.retention }, to: store, until: cancellation)
        async let bucket: Void = BucketUpkeep(store: store, logger: logger, cancellation: cancellation).keep()
        async let _ = reload.run()
        async let sending: Void = relay.run(lastWait: RelayService.lastWait)
        do { try await watch.run() } catch {
            relay.end()
            throw error
        }
        relay.end()
        _ = await (watchdog, upkeep, bucket, sending)
        await parser.shutdown()
        try store.close()
        logger.notice("ended by signal \(signals.number)")
    }
}
