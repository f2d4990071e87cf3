internal import ChildProcesses
internal import MailConnection
internal import MailSend
import Dispatch
import FundCore
import FundStore
import Glibc
import MailParse
import MailWatch
import Terminal

/// The check-up of `doctor`: configuration, store, its database, disk, parser, mailboxes, the server for letters,
/// profiles of devices, the company's directory, drives, and feeds. Changes nothing.
struct DoctorCheck: Sendable {
    /// Below it a full disk is near: a batch stages up to 64 MiB.
    private static let leastFreeBytes: Int64 = 1_000_000_000

    /// Addresses in one finding.
    private static let maxNamed = 10

    let configuration: Configuration
    /// Where the parser's children come from.
    let workspace: Workspace
    /// Gives the store, opened before or now.
    let openStore: @Sendable () throws -> FundStore

    /// - Parameters:
    ///   - isOffline: connects to no mail server.
    ///   - recipient: gets a letter, when all of outgoing mail is well; nil sends none.
    func findings(isOffline: Bool, sendingTo recipient: OutgoingAddress? = nil) async -> DoctorFindings {
        var findings = DoctorFindings()
        findings.ok(.configuration, configuration.file ?? "none; only --store")
        for warning in configuration.warnings { findings.warn(.trust, warning) }
        checkSecrets(&findings)
        let states = await checkStore(isOffline: isOffline, &findings)
        let parser = await checkParser(&findings)
        findings.append(await PreviewCheckup.findings(configuration))
        await checkMailboxes(states, parser, isOffline: isOffline, &findings)
        await parser?.shutdown()
        if let smtp = configuration.smtp {
            findings.append(await SMTPCheckup.run(smtp, isOffline: isOffline, sendingTo: recipient))
            checkReports(smtp, &findings)
        } else if recipient != nil {
            findings.fail(.smtp, CommandError(.configuration, "no letter can be sent: add smtp (docs/operating.md)"))
        }
        findings.append(await ProfileCheckup.findings(configuration))
        if let drives = configuration.drives {
            findings.append(await DriveCheckup.findings(drives) { access($0, R_OK) == 0 })
        }
        if let directory = configuration.directory {
            findings.append(await DirectoryCheckup.findings(directory, isOffline: isOffline))
        }
        return findings
    }

    /// Whether reports about letters of people come into a mailbox that is polled.
    private func checkReports(_ smtp: SMTPConfiguration, _ findings: inout DoctorFindings) {
        let mailboxes = configuration.mailboxes.map(\.server.user)
        if configuration.routing.subaddressSeparator.isEmpty {
            findings.warn(
                .smtp,
                "letters of people that come back are not noted: routing: subaddress_separator is empty, and each "
                    + "letter needs a return path of its own")
        } else if !mailboxes.contains(where: { EmailAddress($0)?.description == "\(smtp.from.address)".lowercased() }) {
            findings.warn(
                .smtp,
                "letters of people that come back are not noted: no mailbox of \(smtp.from.address) is polled; name as "
                    + "from the address of one, or poll it, too")
        }
    }

    /// Checks secrets that belong to no mailbox alone.
    private func checkSecrets(_ findings: inout DoctorFindings) {
        let credentials =
            configuration.mailboxes.map(\.credential) + [
                configuration.smtp?.login?.credential, configuration.directory?.login?.credential,
            ]
        let holdsPassword = credentials.contains { if case .password = $0 { true } else { false } }
        if holdsPassword, let file = configuration.file {
            for problem in SecretFileCheck.permissionProblems(with: file, key: "with a password in it,") {
                findings.warn(.configuration, problem)
            }
        }
        guard let files = configuration.server?.tls else { return }
        CertificateCheckup(files: files, subject: .server, loss: "browsers warn of these pages", now: .now)
            .check(&findings)
    }

    /// All at once, shown in the order of the configuration.
    private func checkMailboxes(
        _ states: [MailboxState], _ parser: SampleParser?, isOffline: Bool, _ findings: inout DoctorFindings
    ) async {
        let limits = configuration.limits
        let results = await configuration.mailboxes.concurrentMap(atMost: PollRun.maxMailboxes) { mailbox in
            let state = states.first { $0.name == mailbox.name }
            return await MailboxCheckup.run(mailbox, limits: limits, state: state, parser: parser, isOffline: isOffline)
        }
        results.forEach { findings.append($0) }
    }

    /// Returns what it remembers of the mailboxes.
    private func checkStore(isOffline: Bool, _ findings: inout DoctorFindings) async -> [MailboxState] {
        let path = configuration.store
        var states: [MailboxState] = []
        do {
            let store = try openStore()
            if let server = try await store.maintenance.databaseServer() {
                findings.append(DatabaseCheckup.findings(server))
            }
            let (users, funds, kept) = (
                try await store.administration.countUsers(matching: nil), try await store.administration.countFunds(),
                try await store.administration.countMisroutes(MisrouteFilter())
            )
            findings.ok(.store, "\(path): \(users) users, \(funds) funds, \(kept) kept messages")
            states = try await store.mail.mailboxStates()
            if let bucket = store.bucket {
                findings.append(try await BucketCheckup.findings(bucket, isOffline: isOffline))
            }
            if configuration.scan != nil { try await PreviewCheckup.checkFailedScans(store, &findings) }
            try await checkFactors(store, &findings)
            findings.append(try await QuotaCheckup.findings(store))
            findings.append(try await NewsCheckup.findings(store, isOn: configuration.news))
            if configuration.drives != nil { findings.append(try await DriveCheckup.failing(store)) }
            findings.append(
                try await WebhookCheckup.findings(store, configuration.webhooks) { access($0, R_OK) == 0 })
            if users == 0 { findings.warn(.store, "nobody is registered; `fundmail user add EMAIL`") }
        } catch {
            findings.fail(.store, CommandError(error))
        }
        if let problem = await Self.ownershipProblem(of: path) {
            findings.fail(.store, CommandError(.cannotCreate, problem))
        } else if access(path, W_OK) != 0 {
            let problem = "\(path) cannot be written: \(SystemText.of(errno))"
            findings.fail(.store, CommandError(.cannotCreate, problem))
        }
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return states }
        let free = Int64(clamping: disk.f_bavail) * Int64(clamping: disk.f_frsize)
        let text = "\(Quantity.display(bytes: free)) free"
        if free < Self.leastFreeBytes || disk.f_favail < 10_000 {
            findings.warn(.disk, "\(text), \(disk.f_favail) more files; make space before the next run")
        } else {
            findings.ok(.disk, text)
        }
        return states
    }

    /// Names those who have no second factor and must have one.
    private func checkFactors(_ store: FundStore, _ findings: inout DoctorFindings) async throws {
        let rule = configuration.server?.secondFactor ?? .none
        guard rule != .none else { return }
        let lacking = try await store.accounts.usersLackingSecondFactor(by: rule)
        guard !lacking.isEmpty else { return findings.ok(.server, "all of whom it is asked have a second factor") }
        let more = lacking.count > Self.maxNamed ? " and \(lacking.count - Self.maxNamed) more" : ""
        findings.warn(
            .server,
            "without a second factor, which second_factor asks for: "
                + "\(lacking.prefix(Self.maxNamed).joined(separator: ", "))\(more); "
                + "each sets one up at the next sign-in"
        )
    }

    /// Looks at every file of the store, which takes a second for a million, on a thread that may block.
    private static func ownershipProblem(of store: String) async -> String? {
        await DispatchQueue.runAlone("fundmail.doctor") { StoreOwnership.problem(of: store, isThorough: true) }
    }

    private func report(_ confinement: ChildConfinement, _ findings: inout DoctorFindings) {
        let count = "\(ParserPool.defaultConcurrency) children at a time"
        guard confinement != .all else {
            return findings.ok(.parser, "\(count), which reach no file, network or other process")
        }
        var reached: [String] = []
        if !confinement.contains(.files) {
            reached.append("read the files of this user (no Landlock: Linux 5.13 has it)")
        }
        if !confinement.contains(.calls) { reached.append("reach network and other processes (no seccomp)") }
        findings.warn(
            .parser, "\(count); a message that takes one over could \(reached.joined(separator: " and "))")
    }

    /// Sends one message of our own through a child. Returns the parser, for messages of mailboxes; nil for none.
    private func checkParser(_ findings: inout DoctorFindings) async -> SampleParser? {
        do {
            let parser = try SampleParser(workspace, limits: configuration.limits)
            let text = "From: doctor@example.com\r\nSubject: [Fund] =?utf-8?B?5Z+66YeR?=\r\n\r\nHello\r\n"
            guard case .message(let message) = try await parser.parse(Array(text.utf8)),
                message.header.subject == "[Fund] 基金"
            else {
                throw CommandError(.unavailable, "a child answers, but reads a simple message wrongly: reinstall")
            }
            report(parser.confinement ?? [], &findings)
            return parser
        } catch {
            findings.fail(.parser, CommandError(error))
            return nil
        }
    }
}
