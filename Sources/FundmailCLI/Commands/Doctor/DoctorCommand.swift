import ArgumentParser
import FundCore
import FundStore
import Glibc
import MailParse
import MailWatch

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, store, disk, parser and mail servers.",
        discussion: """
            Logs in to every mailbox and looks at certificate, folder, abilities and the newest messages' trust. \
            Changes nothing, here or there. Exit status: 0 when all is well or there are only warnings, else that of \
            the first failure; 69 a mailbox cannot be reached or refuses the login.

            Examples:
              fundmail doctor
              fundmail doctor --offline
            """)

    /// Below it a full disk is near: a batch stages up to 64 MiB.
    private static let leastFreeBytes: Int64 = 1_000_000_000

    @Flag(help: "Connect to no mail server.")
    var offline = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        var findings = DoctorFindings()
        do {
            let workspace = try Workspace(globals)
            findings.ok("configuration", workspace.configuration.file ?? "none; only --store")
            for warning in workspace.configuration.warnings { findings.warn("trust", warning) }
            checkSecrets(workspace.configuration, &findings)
            let states = await checkStore(workspace, &findings)
            let parser = await checkParser(workspace, &findings)
            await checkMailboxes(workspace.configuration, states, parser, &findings)
            await parser?.shutdown()
        } catch {
            findings.fail("configuration", CommandError(error))
        }
        try Console.write(findings.rendered)
        if let status = findings.status { throw ExitCode(status.rawValue) }
    }

    /// Those that belong to no mailbox alone.
    private func checkSecrets(_ configuration: Configuration, _ findings: inout DoctorFindings) {
        let holdsPassword = configuration.mailboxes.contains {
            if case .password = $0.credential { true } else { false }
        }
        if holdsPassword, let file = configuration.file {
            for problem in SecretFileCheck.permissionProblems(with: file, key: "with a password in it,") {
                findings.warn("configuration", problem)
            }
        }
        guard let key = configuration.server?.tls?.keyFile else { return }
        for problem in SecretFileCheck.permissionProblems(with: key, key: "tls key") {
            findings.warn("server", problem)
        }
    }

    /// All at once, shown in the order of the configuration.
    private func checkMailboxes(
        _ configuration: Configuration, _ states: [MailboxState], _ parser: SampleParser?,
        _ findings: inout DoctorFindings
    ) async {
        let limits = configuration.limits
        let results = await configuration.mailboxes.concurrentMap(atMost: PollRun.maxMailboxes) { [offline] mailbox in
            let state = states.first { $0.name == mailbox.name }
            return await MailboxCheckup.run(mailbox, limits: limits, state: state, parser: parser, isOffline: offline)
        }
        results.forEach { findings.append($0) }
    }

    /// Returns what it remembers of the mailboxes.
    private func checkStore(_ workspace: Workspace, _ findings: inout DoctorFindings) async -> [MailboxState] {
        let path = workspace.configuration.store
        var states: [MailboxState] = []
        do {
            let store = try workspace.openStore(.readOnly)
            let (users, funds, kept) = (
                try await store.administration.users(), try await store.administration.funds(),
                try await store.administration.misroutes()
            )
            findings.ok("store", "\(path): \(users.count) users, \(funds.count) funds, \(kept.count) kept messages")
            states = try await store.mail.mailboxStates()
            if users.isEmpty { findings.warn("store", "nobody is registered; `fundmail user add EMAIL`") }
        } catch {
            findings.fail("store", CommandError(error))
        }
        if let problem = StoreOwnership.problem(of: path, isThorough: true) {
            findings.fail("store", CommandError(.cannotCreate, problem))
        } else if access(path, W_OK) != 0 {
            let problem = "\(path) cannot be written: \(String(cString: strerror(errno)))"
            findings.fail("store", CommandError(.cannotCreate, problem))
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return states }
        let free = Int64(clamping: disk.f_bavail) * Int64(clamping: disk.f_frsize)
        let text = "\(Quantity.display(bytes: free)) free"
        if free < Self.leastFreeBytes || disk.f_favail < 10_000 {
            findings.warn("disk", "\(text), \(disk.f_favail) more files; make space before the next run")
        } else {
            findings.ok("disk", text)
        }
        return states
    }

    /// Sends one message of our own through a child. Returns the parser, for messages of mailboxes; nil for none.
    private func checkParser(_ workspace: Workspace, _ findings: inout DoctorFindings) async -> SampleParser? {
        do {
            let parser = try SampleParser(workspace)
            let text = "From: doctor@example.com\r\nSubject: [Fund] =?utf-8?B?5Z+66YeR?=\r\n\r\nHello\r\n"
            guard case .message(let message) = try await parser.parse(Array(text.utf8)),
                message.header.subject == "[Fund] 基金"
            else {
                throw CommandError(.unavailable, "a child answers, but reads a simple message wrongly: reinstall")
            }
            findings.ok("parser", "\(ParserPool.defaultConcurrency) children at a time")
            return parser
        } catch {
            findings.fail("parser", CommandError(error))
            return nil
        }
    }
}

/// What `doctor` found, line by line.
struct DoctorFindings: Sendable {
    private var rows: [[String]] = []
    /// Of the first failure; nil when there is none.
    private(set) var status: ExitStatus?

    mutating func ok(_ what: String, _ text: String) { rows.append(["ok", what, text]) }
    mutating func warn(_ what: String, _ text: String) { rows.append(["warning", what, text]) }
    mutating func fail(_ what: String, _ failure: CommandError) {
        rows.append(["FAILED", what, failure.message])
        status = status ?? failure.status
    }

    mutating func append(_ other: DoctorFindings) {
        rows += other.rows
        status = status ?? other.status
    }

    var rendered: String {
        Table(["", "", ""], rows).rendered(width: nil)
    }
}

/// Parses messages that are looked at and not kept, in a child as a run does.
struct SampleParser: Sendable {
    private let scratch: ScratchFolder
    private let parser: ParserPool
    private let limits: ParseLimits

    /// Throws `CommandError` when no temporary folder can be made.
    init(_ workspace: Workspace) throws {
        scratch = try ScratchFolder()
        parser = workspace.parser(stagingDirectory: scratch.path, concurrency: 1)
        limits = workspace.configuration.limits
    }

    /// Throws when no child can be started. What cannot be parsed is a result.
    func parse(_ bytes: [UInt8]) async throws -> ParseResult {
        let (spool, limits) = (SpoolDirectory(path: scratch.path), limits)
        return try await parser.withWorker { worker in
            var writer = try spool.makeFile()
            try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Void in try writer.append(bytes) }
            let spooled = writer.finish()
            defer { spooled.discard() }
            return try worker.parse(spooled, limits: limits)
        }
    }

    /// The headers among messages that can be read; also of one that a run would refuse.
    func headers(of messages: [[UInt8]]) async throws -> [MessageHeader] {
        var headers: [MessageHeader] = []
        for message in messages {
            switch try await parse(message) {
            case .message(let parsed): headers.append(parsed.header)
            case .refused(_, _, let header, _): if let header { headers.append(header) }
            }
        }
        return headers
    }

    /// Ends the child.
    func shutdown() async { await parser.shutdown() }
}
