internal import MailConnection
import Dispatch
import FundCore
import FundServer
import Glibc
import Ingest
import MailParse
import MailWatch
import Synchronization
import Terminal

/// Tests a mailbox that an administrator describes, and writes it into the configuration: the password into a file
/// beside it. One at a time: each test connects to the server that it is told.
final class MailboxAdder: Sendable {
    /// Time limit for a mail server; a person waits for it.
    private static let serverLimit = Duration.seconds(15)
    /// Beside the configuration.
    private static let secretsFolder = "secrets"
    /// Names that are tried for one secret.
    private static let maxNames = 100

    private let workspace: Workspace
    private let live: LiveConfiguration
    private let isBusy = Atomic<Bool>(false)
    /// Reads the configuration again.
    private let reload: @Sendable () -> Void

    init(workspace: Workspace, live: LiveConfiguration, reload: @escaping @Sendable () -> Void) {
        (self.workspace, self.live, self.reload) = (workspace, live, reload)
    }

    func add(
        _ proposal: MailboxProposal, isKeptAnyway: Bool, isAllowed: @Sendable () async -> Bool
    ) async -> MailboxAnswer {
        guard !isBusy.exchange(true, ordering: .acquiringAndReleasing) else { return .busy }
        defer { isBusy.store(false, ordering: .releasing) }
        let draft: Draft
        do throws(FieldProblem) { draft = try Draft(proposal, among: live.value.mailboxes) } catch {
            return .wrong(error.field)
        }
        var findings: [Finding]
        let isUsable: Bool
        do { (findings, isUsable) = try await test(draft) } catch {
            return .failed([Finding(.failure, subject: .mailbox, CommandError(error).message)])
        }
        guard isUsable || isKeptAnyway else { return .failed(findings) }
        guard await isAllowed() else { return .forbidden }
        do {
            // A disk may take seconds to say that it has written.
            try await DispatchQueue(label: "fundmail.configuration").run { try self.write(draft) }
        } catch {
            let why =
                error is NotEditable
                ? "The configuration is written in a way that cannot be added to safely." : CommandError(error).message
            return .byHand(why: why, lines: draft.entry().lines(indent: "  ").joined(separator: "\n"), findings)
        }
        reload()
        if await !isWatched(draft.name) {
            let text = "it is written, but the configuration as a whole is not used: the log says why"
            findings.append(Finding(.warning, subject: .mailbox, mailbox: draft.name, text))
        }
        return .added(draft.name, findings)
    }

    /// Whether the program has taken the mailbox over, after some seconds at most.
    private func isWatched(_ name: String) async -> Bool {
        for _ in 0..<50 {
            if live.value.mailboxes.contains(where: { $0.name == name }) { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    // MARK: Testing

    /// With the password as it was typed: it is in no file yet.
    private func test(_ draft: Draft) async throws -> (findings: [Finding], isUsable: Bool) {
        var mailbox = MailboxConfiguration(
            name: draft.name, server: draft.server, credential: .password(Secret(value: draft.password)),
            trust: draft.trust)
        let scratch = try ScratchFolder()
        if let authority = draft.authority {
            let path = scratch.path + "/authority.pem"
            guard let file = fopen(path, "wxe") else { throw Self.scratchError(errno) }
            let isWritten = fputs(authority, file) >= 0
            guard fclose(file) == 0, isWritten else { throw Self.scratchError(errno) }
            mailbox.caFile = path
        }
        let parser = try SampleParser(workspace, limits: live.value.limits)
        let found = await MailboxCheckup.test(
            mailbox, limits: live.value.limits, parser: parser, within: Self.serverLimit)
        await parser.shutdown()
        withExtendedLifetime(scratch) {}
        return (found.all, found.status == nil)
    }

    private static func scratchError(_ code: Int32) -> CommandError {
        CommandError(.cannotCreate, "A temporary file cannot be written: \(SystemText.of(code)).")
    }

    // MARK: Writing

    private func write(_ draft: Draft) throws {
        guard let file = workspace.configuration.file else {
            throw CommandError(.configuration, "This program was started without a configuration.")
        }
        let old = try ConfigurationFile(file)
        guard let text = String(validating: old.bytes, as: UTF8.self) else {
            throw CommandError(.configuration, "\(file) is not text in UTF-8; save it as UTF-8.")
        }
        // Relative paths in it start at the folder of its name, which a link may have elsewhere than its file.
        let home = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        let folder = (home.isEmpty ? "/" : home) + "/" + Self.secretsFolder
        let secret = Self.freeName(draft.name, in: folder)
        let certificate = draft.authority.map { _ in Self.freeName(draft.name + ".pem", in: folder) }
        let entry = draft.entry(
            passwordFile: "\(Self.secretsFolder)/\(secret)",
            authorityFile: certificate.map { "\(Self.secretsFolder)/\($0)" })
        let editor = ConfigurationEditor(
            text: text, file: file, credentialsFolder: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) })
        let new = try editor.adding(entry).text
        var written: [String] = []
        var isDone = false
        defer { if !isDone { for path in written { unlink(path) } } }
        try old.writeSecret(draft.password + "\n", named: secret, in: folder)
        written.append("\(folder)/\(secret)")
        if let certificate, let authority = draft.authority {
            try old.writeSecret(authority, named: certificate, in: folder)
            written.append("\(folder)/\(certificate)")
        }
        try old.replace(with: new)
        isDone = true
    }

    /// A removed mailbox may have left its file.
    private static func freeName(_ name: String, in folder: String) -> String {
        func isFree(_ name: String) -> Bool {
            var status = stat()
            return lstat("\(folder)/\(name)", &status) != 0
        }
        return ([name] + (2...maxNames).map { "\(name)-\($0)" }).first(where: isFree) ?? name
    }
}

extension MailboxAdder {
    /// A field that cannot be used.
    struct FieldProblem: Error { var field: MailboxField }

    /// A proposal, checked as the configuration would be.
    struct Draft: Sendable {
        private static let maxNameBytes = 64
        private static let maxTextBytes = 1024
        private static let beginOfCertificate = "-----BEGIN CERTIFICATE-----"

        let name: String
        let server: MailServerAddress
        let password: String
        let trust: TrustPolicy
        let authority: String?

        /// - Parameter others: the mailboxes that are there.
        init(_ proposal: MailboxProposal, among others: [MailboxConfiguration]) throws(FieldProblem) {
            let taken = others.map(\.name)
            func check(_ isRight: Bool, _ field: MailboxField) throws(FieldProblem) {
                guard isRight else { throw FieldProblem(field: field) }
            }
            for (text, field) in [
                (proposal.host, .host), (proposal.user, .user), (proposal.password, .password),
                (proposal.folder, .folder), (proposal.authServer, .authServer),
            ] as [(String, MailboxField)] {
                try check(
                    text.utf8.count <= Self.maxTextBytes
                        && !text.utf8.contains { $0 < .space || $0 == UInt8(ascii: "\u{7F}") }, field)
            }
            guard let scheme = MailServerAddress.Scheme(rawValue: proposal.scheme) else {
                throw FieldProblem(field: .host)
            }
            // Else a name with its port would count as an IPv6 address: the URL puts both into brackets.
            try check(!proposal.host.utf8.contains(.colon) || Self.isIPv6(proposal.host), .host)
            try check(proposal.port.map { (1...65535).contains($0) } ?? true, .port)
            try check(!proposal.user.isEmpty, .user)
            try check(!proposal.password.isEmpty, .password)
            let folder = proposal.folder.split(separator: "/").joined(separator: "/")
            try check(scheme.isIMAP || folder.isEmpty || folder.uppercased() == "INBOX", .folder)
            let address = MailServerAddress(
                scheme: scheme, user: proposal.user, host: proposal.host, port: proposal.port.map { UInt16($0) },
                mailbox: !scheme.isIMAP || folder.isEmpty ? "INBOX" : folder)
            // The configuration must be read back as it is meant.
            guard let read = try? MailServerAddress(url: address.text), read == address else {
                throw FieldProblem(field: .host)
            }
            try check(!others.contains { $0.server == address }, .duplicate)
            server = address
            password = proposal.password
            let authServer = proposal.authServer.isEmpty ? proposal.host : proposal.authServer
            try check((0...20).contains(proposal.ownReceivedFields), .ownReceived)
            trust =
                proposal.requiresProof
                ? .dmarc(
                    authservID: authServer == "topmost-without-id" ? .topmostWithoutID : .named(authServer),
                    ownReceivedFields: proposal.ownReceivedFields, submissionDomains: [])
                : .vouched
            let pem = proposal.authority.replacing("\r\n", with: "\n")
            try check(pem.isEmpty || pem.contains(Self.beginOfCertificate), .authority)
            authority = pem.isEmpty ? nil : pem.hasSuffix("\n") ? pem : pem + "\n"
            if proposal.name.isEmpty {
                name = Self.freeName(for: proposal.user, taken)
            } else {
                try check(Self.isName(proposal.name) && !taken.contains(proposal.name), .name)
                name = proposal.name
            }
        }

        /// - Parameters: as `MailboxEntry` has them.
        func entry(passwordFile: String? = nil, authorityFile: String? = nil) -> MailboxEntry {
            MailboxEntry(
                name: name, server: server, passwordFile: passwordFile ?? "secrets/\(name)",
                authorityFile: authorityFile ?? authority.map { _ in "secrets/\(name).pem" }, trust: trust)
        }

        private static func isIPv6(_ text: String) -> Bool {
            var bytes = [UInt8](repeating: 0, count: 16)
            return inet_pton(AF_INET6, text, &bytes) == 1
        }

        /// It is a name of files, too.
        private static func isName(_ text: String) -> Bool {
            text.utf8.count <= maxNameBytes && text.utf8.first.map(ASCII.isAlphanumeric) == true
                && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_.".utf8.contains($0) }
        }

        private static func freeName(for user: String, _ taken: [String]) -> String {
            let local = user.prefix { $0 != "@" }.lowercased().utf8.filter {
                ASCII.isAlphanumeric($0) || $0 == .hyphen
            }
            let plain = String(decoding: local.drop { $0 == .hyphen }.prefix(maxNameBytes - 4), as: UTF8.self)
            let name = plain.isEmpty ? "mail" : plain
            var number = 1
            while taken.contains(number == 1 ? name : "\(name)-\(number)") { number += 1 }
            return number == 1 ? name : "\(name)-\(number)"
        }
    }
}
