import ArgumentParser
import FundStore
import Glibc
import Ingest
import MailFetch
import MailParse

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, store, disk, parser and trust.",
        discussion: """
            Changes nothing. Exit status: 0 when all is well or there are only warnings, else that of the first failure.

            Example:
              fundmail doctor
            """)

    /// Below it a full disk is near: a batch stages up to 64 MiB.
    private static let leastFreeBytes: Int64 = 1_000_000_000

    @OptionGroup var globals: GlobalOptions

    private struct Findings {
        var table = Table([Table.Column(title: ""), Table.Column(title: ""), Table.Column(title: "")])
        var failure: ExitStatus?

        mutating func ok(_ what: String, _ text: String) { table.add(["ok", what, text]) }
        mutating func warn(_ what: String, _ text: String) { table.add(["warning", what, text]) }
        mutating func fail(_ what: String, _ failure: CommandFailure) {
            table.add(["FAILED", what, failure.message])
            self.failure = self.failure ?? failure.status
        }
    }

    func run() async throws {
        var findings = Findings()
        do {
            let workspace = try Workspace(globals)
            findings.ok("configuration", workspace.configuration.file ?? "none; only --store")
            checkMailboxes(workspace.configuration, &findings)
            await checkStore(workspace, &findings)
            await checkParser(workspace, &findings)
        } catch {
            findings.fail("configuration", CommandFailure(error))
        }
        try Console.write(findings.table.rendered(width: nil))
        if let status = findings.failure { throw ExitCode(status.rawValue) }
    }

    private func checkMailboxes(_ configuration: Configuration, _ findings: inout Findings) {
        for warning in configuration.warnings { findings.warn("trust", warning) }
        for mailbox in configuration.mailboxes {
            var files: [(String, String)] = []
            if case .passwordFile(let path) = mailbox.credential { files.append(("password_file", path)) }
            if let path = mailbox.caFile { files.append(("tls_ca_file", path)) }
            for (key, path) in files where access(path, R_OK) != 0 {
                let problem = "\(key) \(path) cannot be read: \(String(cString: strerror(errno)))"
                findings.fail("mailbox \(mailbox.name)", CommandFailure(.configuration, problem))
            }
            if case .passwordEnvironment(let name) = mailbox.credential, getenv(name) == nil {
                findings.warn("mailbox \(mailbox.name)", "the environment variable \(name) is not set here")
            }
        }
    }

    private func checkStore(_ workspace: Workspace, _ findings: inout Findings) async {
        let path = workspace.configuration.store
        do {
            let store = try workspace.openStore(.readOnly)
            let (users, funds, kept) = (
                try await store.users(), try await store.funds(), try await store.misroutes()
            )
            findings.ok("store", "\(path): \(users.count) users, \(funds.count) funds, \(kept.count) kept messages")
            if users.isEmpty { findings.warn("store", "nobody is registered; `fundmail user add EMAIL`") }
        } catch {
            findings.fail("store", CommandFailure(error))
        }
        if access(path, W_OK) != 0 {
            let problem = "\(path) cannot be written: \(String(cString: strerror(errno)))"
            findings.fail("store", CommandFailure(.cannotCreate, problem))
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return }
        let free = Int64(clamping: disk.f_bavail) * Int64(clamping: disk.f_frsize)
        let text = "\(Quantity.display(bytes: free)) free"
        if free < Self.leastFreeBytes || disk.f_favail < 10_000 {
            findings.warn("disk", "\(text), \(disk.f_favail) more files; make space before the next run")
        } else {
            findings.ok("disk", text)
        }
    }

    /// Sends one message of our own through a child.
    private func checkParser(_ workspace: Workspace, _ findings: inout Findings) async {
        do {
            let scratch = try ScratchFolder()
            let parser = workspace.parser(stagingDirectory: scratch.path, concurrency: 1)
            let spool = SpoolDirectory(path: scratch.path)
            let result = try await parser.withWorker { worker in
                var writer = try spool.makeFile()
                let text = Array(
                    "From: doctor@example.com\r\nSubject: [Fund] =?utf-8?B?5Z+66YeR?=\r\n\r\nHello\r\n".utf8)
                try text.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Void in try writer.append(bytes) }
                let spooled = writer.finish()
                defer { spooled.discard() }
                return try worker.parse(spooled, limits: ParseLimits())
            }
            await parser.shutdown()
            guard case .message(let message) = result, message.header.subject == "[Fund] 基金" else {
                throw CommandFailure(.unavailable, "a child answers, but reads a simple message wrongly: reinstall")
            }
            findings.ok("parser", "\(ParserPool.defaultConcurrency) children at a time")
        } catch {
            findings.fail("parser", CommandFailure(error))
        }
    }
}
