import ArgumentParser
import FundStore
import Glibc
import FundCore
import MailFetch
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
        let mailboxes = configuration.mailboxes
        let results = await withTaskGroup(of: (Int, DoctorFindings).self) { group in
            var results: [Int: DoctorFindings] = [:]
            for (index, mailbox) in mailboxes.enumerated() {
                if index >= PollRun.maxMailboxes, let (done, result) = await group.next() { results[done] = result }
                let state = states.first { $0.name == mailbox.name }
                group.addTask {
                    await (
                        index,
                        MailboxCheckup.run(
                            mailbox, limits: configuration.limits, state: state, parser: parser, isOffline: offline)
                    )
                }
            }
            for await (done, result) in group { results[done] = result }
            return results
        }
        for index in mailboxes.indices { findings.append(results[index] ?? DoctorFindings()) }
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

    /// Sends one message of our own through a child. Returns the parser, for the messages of mailboxes; nil when there
    /// is none.
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
