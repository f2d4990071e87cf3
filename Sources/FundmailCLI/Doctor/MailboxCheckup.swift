internal import MailConnection
import FundCore
import Glibc
import Ingest
import MailFetch
import MailWatch
import Synchronization
import Terminal

/// Looks at one mailbox: its files, its server, and how its runs went.
struct MailboxCheckup: Sendable {
    private static let day = Duration.seconds(86400)

    let mailbox: MailboxConfiguration
    let limits: ParseLimits
    let now = Timestamp.now
    private var findings = DoctorFindings()
    private var serverLimit = Duration.seconds(60)

    private mutating func ok(_ text: String) { add(.ok, text) }
    private mutating func warn(_ text: String) { add(.warning, text) }
    private mutating func fail(_ failure: CommandError) {
        findings.fail(.mailbox, mailbox: mailbox.name, failure)
    }

    private mutating func add(_ level: Finding.Level, _ text: String) {
        findings.add(Finding(level, subject: .mailbox, mailbox: mailbox.name, text))
    }

    /// `state` is what the store remembers of the mailbox, if anything; without `parser` its trust is not checked.
    static func run(
        _ mailbox: MailboxConfiguration, limits: ParseLimits, state: MailboxState?, parser: SampleParser?,
        isOffline: Bool
    ) async -> DoctorFindings {
        var checkup = Self(mailbox: mailbox, limits: limits)
        checkup.checkFiles(isOffline: isOffline)
        if !isOffline, checkup.findings.status == nil { await checkup.checkServer(parser) }
        checkup.checkRuns(state)
        checkup.checkReceipts()
        return checkup.findings
    }

    /// Looks at files and server alone, for a mailbox that is not configured yet.
    /// - Parameter limit: what the server may take.
    static func test(
        _ mailbox: MailboxConfiguration, limits: ParseLimits, parser: SampleParser?, within limit: Duration
    ) async -> DoctorFindings {
        var checkup = Self(mailbox: mailbox, limits: limits)
        checkup.serverLimit = limit
        checkup.checkFiles(isOffline: false)
        if checkup.findings.status == nil { await checkup.checkServer(parser) }
        return checkup.findings
    }

    // MARK: Files

    private mutating func checkFiles(isOffline: Bool) {
        CredentialCheckup.files(mailbox.credential, caFile: mailbox.caFile, isOffline: isOffline).forEach { add($0) }
    }

    private mutating func add(_ result: CredentialCheckup.Result) {
        switch result {
        case .ok(let text): ok(text)
        case .warning(let text): warn(text)
        case .failure(let failure): fail(failure)
        }
    }

    private mutating func checkReceipts() {
        switch mailbox.receipts {
        case .off: break
        case .filed: ok("receipts: proved senders get a letter about mail that was filed")
        case .problems: ok("receipts: proved senders get a letter about mail that waits, or was filed later")
        case .all: ok("receipts: proved senders get a letter about each mail")
        }
    }

    // MARK: The server

    private mutating func checkServer(_ parser: SampleParser?) async {
        let found: MailboxFindings
        let seenToken = Mutex<SeenToken?>(nil)
        do {
            let access = try mailbox.access(
                limits: limits, cancellation: Cancellation(), onToken: { token in seenToken.withLock { $0 = token } })
            found = try await MailboxProbe(access).run(limit: serverLimit)
        } catch {
            // It may say why.
            if let token = seenToken.withLock({ $0 }) { checkToken(token) }
            var failure = CommandError(error, at: mailbox)
            // The name stands in front of it already.
            failure.message = String(failure.message.trimmingPrefix("Mailbox \(mailbox.name): "))
            return fail(failure)
        }
        let address = mailbox.server
        ok("\(address.host):\(address.port) lets \(address.user) in; \(found.messages) messages in \(address.mailbox)")
        if let expiry = found.certificateExpiresAt {
            add(CredentialCheckup.certificate(expiry, now: now, loss: "mail stays on the server"))
        }
        if let token = seenToken.withLock({ $0 }) { checkToken(token) }
        if address.scheme.isIMAP { checkIMAP(found) } else { checkPOP3(found) }
        await checkTrust(found, parser)
    }

    private mutating func checkToken(_ token: SeenToken) {
        add(CredentialCheckup.token(token, mailbox.credential, now: now))
    }

    private mutating func checkIMAP(_ found: MailboxFindings) {
        let able = { found.capabilities.contains($0) || found.capabilities.contains("IMAP4REV2") }
        let known = ["UIDPLUS", "MOVE", "IDLE"].filter(able)
        ok(known.isEmpty ? "it knows no UIDPLUS, MOVE or IDLE" : "it knows \(known.joined(separator: ", "))")
        let actions = [mailbox.after, mailbox.afterMisrouted]
        let deletes = actions.contains(.delete)
        let moves = actions.contains { if case .move = $0 { true } else { false } }
        if !able("UIDPLUS"), deletes || (moves && !able("MOVE")) {
            warn(
                """
                without UIDPLUS what was filed is marked deleted, and removed only while nobody else has marked any; \
                after: flag or keep leaves no doubt
                """)
        }
        checkRights(found, isChanging: deletes || moves, isFlagging: actions.contains(.flagged))
        if mailbox.usesIdle, !able("IDLE") {
            warn("without IDLE `watch` looks every \(mailbox.intervalSeconds) s; idle: false says that you know")
        }
        for target in found.targets { check(target) }
        if let storage = found.storage, storage.used >= storage.limit {
            warn(
                """
                the account is full (\(storage.used) of \(storage.limit) KiB): new mail does not come in, and \
                what was filed may not be moved; make room there
                """)
        }
    }

    /// A folder that mail is to be moved to.
    private mutating func check(_ target: MailboxFindings.Target) {
        if target.exists {
            guard target.rights?.mayInsert == false else { return }
            warn("\(mailbox.server.user) may not bring messages into \(target.name); have the right i given there")
        } else if target.rights?.mayCreate == false {
            warn(
                """
                \(target.name) does not exist, and \(mailbox.server.user) may not make it; make it there, or have the \
                right k given for the folder above it
                """)
        } else {
            ok("\(target.name) does not exist yet; the first message makes it")
        }
    }

    private mutating func checkRights(_ found: MailboxFindings, isChanging: Bool, isFlagging: Bool) {
        guard let rights = found.rights else { return }
        let missing = [
            ("t", isChanging && !rights.mayMarkDeleted), ("e", isChanging && !rights.mayExpunge),
            ("w", isFlagging && !rights.mayFlag),
        ].filter(\.1).map(\.0)
        guard !missing.isEmpty else { return }
        let stays =
            missing == ["e"]
            ? "what was filed is marked deleted there and not removed"
            : "what was filed stays there and is remembered here"
        let noun = missing.count == 1 ? "right" : "rights"
        warn(
            """
            \(mailbox.server.user) lacks the \(noun) \(missing.joined(separator: ", ")) to \(mailbox.server.mailbox) \
            (it has \(rights.letters)): \(stays); have the \(noun) given, or say after: keep
            """)
    }

    private mutating func checkPOP3(_ found: MailboxFindings) {
        if !found.hasUIDL, [mailbox.after, mailbox.afterMisrouted].contains(.keep) {
            warn("it offers no UIDL: what stays there is fetched again by each run, and recognised; better delete it")
        }
        if !found.capabilities.contains("PIPELINING") {
            ok("it offers no PIPELINING: a round trip for each message")
        }
    }

    /// Gives the newest messages the verdict that a run would give.
    private mutating func checkTrust(_ found: MailboxFindings, _ parser: SampleParser?) async {
        guard case .dmarc = mailbox.trust, let parser, found.messages > 0 else { return }
        guard !found.newestHeaders.isEmpty else {
            return warn("it shows no headers: whether its mail can prove its senders is not known")
        }
        do {
            let headers = try await parser.headers(of: found.newestHeaders)
            report(TrustReview(headers, policy: mailbox.trust))
        } catch {
            fail(CommandError(error))
        }
    }

    private mutating func report(_ review: TrustReview) {
        guard review.messages > 0, let reason = review.reason else {
            if review.messages > 0 {
                ok("all of its \(review.messages) newest messages prove their sender")
            }
            return
        }
        if review.proven > 0 {
            let count = "\(review.proven) of its \(review.messages) newest messages prove their sender"
            return ok("\(count); the newest other one does not: \(reason)")
        }
        let problem = "none of its \(review.messages) newest messages proves its sender: \(reason)"
        if let proposal = review.proposal {
            let writers = proposal.writers.isEmpty ? "none" : proposal.writers.joined(separator: ", ")
            return warn(
                """
                \(problem); own_received: \(proposal.ownReceivedFields) under trust would prove \(proposal.proven) of \
                them. It passes over the Received fields of \(writers): say so only if these are your own servers \
                (docs/operating.md)
                """)
        }
        let others = review.servers.isEmpty ? "" : "; the newest bears those of \(Self.list(review.servers))"
        warn(
            """
            \(problem)\(others); mail like it is kept as unverified_sender: correct authserv_id, or ask whoever runs \
            the mail server (docs/operating.md)
            """)
    }

    private static func list(_ names: [String]) -> String {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.prefix(3).joined(separator: ", ")
    }

    // MARK: Runs

    private mutating func checkRuns(_ state: MailboxState?) {
        guard let state, let attempt = state.lastAttemptAt else {
            return ok("not polled yet; `fundmail poll --mailbox \(mailbox.name)`")
        }
        if state.consecutiveFailures > 0 {
            let times =
                state.consecutiveFailures == 1
                ? "the last run failed" : "the last \(state.consecutiveFailures) runs failed\(state.sinceWhen)"
            let when = state.lastErrorAt.map { ", at \(Clock.local($0))" } ?? ""
            warn("\(times)\(when): \(state.lastError ?? "for no reason that was noted")")
        } else {
            ok("last polled at \(Clock.local(attempt))")
        }
        if let oldest = state.oldestWaitingAt, now - oldest > Self.day {
            warn("\(state.waiting) messages wait there, the oldest for \(Quantity.display(age: now - oldest))")
        }
    }
}

/// Checks of a readable file that holds a secret.
enum SecretFileCheck {
    /// Sentences without a full stop, each with what to do. `key` is what the configuration calls the file.
    static func problems(with path: String, key: String) -> [String] {
        permissionProblems(with: path, key: key) + contentProblems(with: path, key: key)
    }

    /// Whether others can read the file, or any but its owner change it. Its group may read it, to share a secret.
    static func permissionProblems(with path: String, key: String) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        let mode = status.st_mode & 0o777
        guard mode & 0o027 != 0 else { return [] }
        let octal = String(mode, radix: 8)
        let text = octal.zeroPadded(to: 4)
        let ability = mode & 0o004 != 0 ? "can be read by everybody on this machine" : "can be changed by others"
        let command = ShellWord.command(["chmod", mode & 0o040 != 0 && mode & 0o004 == 0 ? "640" : "600", path])
        return ["\(key) \(path) \(ability) (mode \(text)); \(command)"]
    }

    /// Problems with the bytes that an editor or a copy left: reading a secret takes only one line end away.
    private static func contentProblems(with path: String, key: String) -> [String] {
        guard var bytes = try? WholeFile.read(path, maxBytes: CredentialSource.maxSecretBytes) else { return [] }
        var problems: [String] = []
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            problems.append(
                "\(key) \(path) begins with a byte order mark, which is taken for part of it; save it without")
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        if let last = bytes.last, [" ", "\t", "\n", "\r"].contains(Unicode.Scalar(last)) {
            let what = last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") ? "a blank" : "more than one line end"
            problems.append(
                "\(key) \(path) ends in \(what), which is taken for part of it; only one line end is left out")
        }
        return problems
    }
}
