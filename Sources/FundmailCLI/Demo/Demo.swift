internal import MailConnection
import ArgumentParser
import ChildProcesses
import FundCore
import FundServer
import FundStore
import Glibc
import Ingest
import MailParse
import Synchronization
import Terminal

/// A made-up office in a store of its own, in a temporary folder that goes with this process. After an hour the process
/// is replaced by one that makes it anew.
final class Demo: Sendable {
    private static let lifetime = Duration.seconds(3600)
    /// SIGHUP too: a terminal that is closed ends it.
    private static let stops = [SIGINT, SIGTERM, SIGHUP]
    private static let folders = HeldFolders(in: ScratchFolder.parent, prefix: "fundmail-demo")

    let signals: StopSignal
    let site: DemoSite
    /// Path of its configuration.
    let configuration: String
    private let folder: String
    /// Host and port, once it listens.
    private let place = Mutex<String?>(nil)
    private let announced = Signal()

    /// Removes what demos left that were killed, and makes the folder, without a store.
    init(_ options: DemoOptions) throws {
        signals = StopSignal(Self.stops, isQuiet: true)
        Self.folders.removeLeft { try? DiskDirectory.removeTree($0) }
        folder = Self.folders.newPath()
        guard Self.folders.make(folder) else { throw ScratchFolder.notMade(errno) }
        configuration = "\(folder)/\(Workspace.defaultConfigurationFile)"
        site = DemoSite(
            logins: SampleOffice.logins,
            endsAt: .now + (DebugSwitches.demoSeconds.map { .seconds($0) } ?? Self.lifetime))
        do { try Self.write(options.server, to: configuration) } catch {
            remove()
            throw error
        }
    }

    /// Where strangers may be among the visitors, all is off that they could misuse: addresses that the server fetches,
    /// and links by which files are given on.
    private static func write(_ server: ServerConfiguration, to path: String) throws {
        let host = IPAddress.urlHost(server.host)
        var lines = [
            "# A demo, which is removed when it ends.", "store: ./store", "server:",
            "  listen: \(YAMLScalar.text("\(host):\(server.port)"))",
        ]
        if server.isPlainAllowed { lines += ["  tls: off", "news: off", "links: off", "webhooks: off"] }
        guard let file = fopen(path, "wxe") else { throw ScratchFolder.notMade(errno) }
        let isWritten = fputs(lines.joined(separator: "\n") + "\n", file) >= 0
        guard fclose(file) == 0, isWritten else { throw ScratchFolder.notMade(errno) }
    }

    /// Fills a new store with the office, by the way that mail takes; with a part of it where a signal came.
    func fill(_ workspace: Workspace) async throws {
        let store = try workspace.openStore(.create)
        let office = SampleOffice(store, at: .now)
        let people = try await office.addPeople()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path)
        let pipeline = IngestPipeline(
            store: store.mail, parser: parser, policy: workspace.configuration.routing,
            limits: workspace.configuration.limits)
        let source = try SampleSource(office.mails())
        let summary = try await pipeline.run(source, shouldStop: { [signals] in signals.isReceived })
        await parser.shutdown()
        guard summary.failed == 0 else { throw CommandError(.software, "The mail of the demo cannot be read.") }
        if !summary.wasInterrupted { try await office.arrange(for: people) }
        try store.close()
    }

    /// Has the pages tell what it is. Nothing can be added to its configuration.
    func adapt(_ parts: inout ServerParts) {
        parts.demo = site
        parts.mailAddress = { SampleOffice.mailAddress }
        parts.setup = SetupParts(why: "This is a demo: no mail comes or goes.")
    }

    /// Shows on standard output how it is visited.
    /// - Parameter address: `http://` with host and port.
    func announce(_ address: String) throws {
        place.withLock { $0 = String(address.drop { $0 != "/" }.dropFirst(2)) }
        announced.raise()
        let table = Table(
            ["SIGN IN AS", "", "PASSWORD"],
            site.logins.map { login in
                [login.email, login.isAdministrator ? "\(login.name), an administrator" : login.name, login.password]
            })
        try Console.write(
            """

            The demo: \(address)

            \(table.rendered(width: Console.outputWidth, indent: "  "))
            Everybody and everything in it is made up, and no mail comes or goes. It begins anew at
            \(Clock.local(site.endsAt)). Ctrl-C ends it, and removes all of it. Other commands see it, too:
              fundmail report misrouted --config \(ShellWord.quoted(configuration))


            """)
    }

    /// Ends it when its time is over.
    var clock: DemoClock { DemoClock(endsAt: site.endsAt, signals: signals, announced: announced) }

    /// Removes it from the disk.
    func remove() {
        do { try DiskDirectory.removeTree(folder) } catch {
            Console.warn("the demo's folder \(folder) cannot be removed: \(SystemText.of(error.code))")
        }
    }

    /// Whether it ended since its time was over.
    var isToBeginAnew: Bool { signals.number < 0 }

    /// Replaces this process by a demo at the same address. Throws `CommandError` when that cannot be done.
    func beginAnew() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if let place = place.withLock({ $0 }) {
            let option = "--demo-listen"
            arguments.removeAll { $0.hasPrefix("\(option)=") }
            if let index = arguments.firstIndex(of: option) {
                arguments.removeSubrange(index..<min(index + 2, arguments.count))
            }
            arguments.append("\(option)=\(place)")
        }
        let code = OwnProgram.runAgain(arguments, restoring: Self.stops)
        throw CommandError(.software, "The demo cannot begin anew: \(SystemText.of(code)).")
    }
}
