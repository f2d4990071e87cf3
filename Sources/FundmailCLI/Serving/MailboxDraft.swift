internal import MailConnection
import FundCore
import FundServer
import Ingest
import MailFetch
import MailParse
import MailWatch

/// A mailbox that an administrator describes, checked as the configuration would be.
struct MailboxDraft: ConfigurationDraft {
    static let subject = Finding.Subject.mailbox
    /// Time limit for a mail server; a person waits for it.
    private static let serverLimit = Duration.seconds(15)

    private static let maxNameBytes = 64

    let name: String
    let server: MailServerAddress
    let password: String
    let trust: TrustPolicy
    let authority: String?

    init(_ proposal: MailboxProposal, in configuration: Configuration) throws(FieldProblem<MailboxField>) {
        try self.init(proposal, among: configuration.mailboxes)
    }

    /// - Parameter others: the mailboxes that are there.
    init(_ proposal: MailboxProposal, among others: [MailboxConfiguration]) throws(FieldProblem<MailboxField>) {
        let taken = others.map(\.name)
        func check(_ isRight: Bool, _ field: MailboxField) throws(FieldProblem<MailboxField>) {
            guard isRight else { throw FieldProblem<MailboxField>(field: field) }
        }
        for (text, field) in [
            (proposal.host, .host), (proposal.user, .user), (proposal.password, .password),
            (proposal.folder, .folder), (proposal.authServer, .authServer),
        ] as [(String, MailboxField)] {
            try check(SetupText.isLine(text), field)
        }
        guard let scheme = MailServerAddress.Scheme(rawValue: proposal.scheme) else {
            throw FieldProblem<MailboxField>(field: .host)
        }
        // Else a name with its port would count as an IPv6 address: the URL puts both into brackets.
        try check(SetupText.isHost(proposal.host), .host)
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
            throw FieldProblem<MailboxField>(field: .host)
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
        try check(proposal.authority.isEmpty || SetupText.isCertificate(proposal.authority), .authority)
        authority = SetupText.certificate(proposal.authority)
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

    var shownName: String { name }
    var mailbox: String? { name }
    var lines: String { entry().lines(indent: "  ").joined(separator: "\n") }

    func findings(in workspace: Workspace, _ configuration: Configuration) async throws -> DoctorFindings {
        var mailbox = MailboxConfiguration(
            name: name, server: server, credential: .password(Secret(value: password)), trust: trust)
        let scratch = try ScratchFolder()
        mailbox.caFile = try authority.map { try scratch.write($0, to: "authority.pem") }
        let parser = try SampleParser(workspace, limits: configuration.limits)
        let found = await MailboxCheckup.test(
            mailbox, limits: configuration.limits, parser: parser, within: Self.serverLimit)
        await parser.shutdown()
        withExtendedLifetime(scratch) {}
        return found
    }

    func isIn(_ configuration: Configuration) -> Bool { configuration.mailboxes.contains { $0.name == name } }

    func write(_ change: ConfigurationChange) throws {
        let secret = change.freeName(name)
        let certificate = authority.map { _ in change.freeName(name + ".pem") }
        let entry = entry(passwordFile: change.path(of: secret), authorityFile: certificate.map(change.path))
        var secrets = [(name: secret, text: password + "\n")]
        if let certificate, let authority { secrets.append((certificate, authority)) }
        try change.write(try change.editor.adding(entry).text, secrets: secrets)
    }
}
