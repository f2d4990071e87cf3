internal import MailConnection
import FundCore
import FundServer
import MailSend
import MailWatch

/// The server for letters that an administrator describes, checked as the configuration would be.
struct LetterServerDraft: ConfigurationDraft {
    static let subject = Finding.Subject.smtp
    /// Time limit for the server, and for its reply to a letter; a person waits for it.
    private static let serverLimit = Duration.seconds(30)
    /// Names its files.
    private static let secretName = "smtp"

    let address: SubmissionAddress
    let login: (user: String, password: String)?
    let from: Correspondent
    let usesTLS: Bool
    let authority: String?
    /// Gets a letter as part of the test.
    let recipient: OutgoingAddress?
    private let typedFrom: String

    init(
        _ proposal: LetterServerProposal, in configuration: Configuration
    ) throws(FieldProblem<LetterServerField>) {
        guard configuration.smtp == nil else { throw FieldProblem<LetterServerField>(field: .present) }
        try self.init(proposal)
    }

    init(_ proposal: LetterServerProposal) throws(FieldProblem<LetterServerField>) {
        func check(_ isRight: Bool, _ field: LetterServerField) throws(FieldProblem<LetterServerField>) {
            guard isRight else { throw FieldProblem<LetterServerField>(field: field) }
        }
        for (text, field) in [
            (proposal.host, .host), (proposal.user, .user), (proposal.password, .password), (proposal.from, .from),
        ] as [(String, LetterServerField)] {
            try check(SetupText.isLine(text), field)
        }
        usesTLS = proposal.scheme != "local"
        guard let scheme = SubmissionAddress.Scheme(rawValue: usesTLS ? proposal.scheme : "smtp"),
            SetupText.isHost(proposal.host)
        else { throw FieldProblem<LetterServerField>(field: .host) }
        try check(proposal.port.map { (1...65535).contains($0) } ?? true, .port)
        let host = SetupText.isIPv6(proposal.host) ? "[\(proposal.host)]" : proposal.host
        guard let server = HostAndPort(Substring(host), defaultPort: scheme.defaultPort),
            usesTLS || server.isLoopback
        else { throw FieldProblem<LetterServerField>(field: .host) }
        let port = proposal.port.map { UInt16($0) } ?? scheme.defaultPort
        address = SubmissionAddress(scheme: scheme, server: HostAndPort(host: server.host, port: port))
        try check(proposal.user.isEmpty == proposal.password.isEmpty, .password)
        login = proposal.user.isEmpty ? nil : (proposal.user, proposal.password)
        guard let from = try? Correspondent(proposal.from, field: "it") else {
            throw FieldProblem<LetterServerField>(field: .from)
        }
        (self.from, typedFrom) = (from, proposal.from)
        try check(proposal.authority.isEmpty || SetupText.isCertificate(proposal.authority), .authority)
        authority = SetupText.certificate(proposal.authority)
        // An address that no letter can have is no reason to send none to others.
        recipient = proposal.recipient.flatMap { try? OutgoingAddress($0) }
    }

    /// - Parameters: as `SMTPEntry` has them; left out where nothing stands in them.
    func entry(passwordFile: String?, authorityFile: String?) -> SMTPEntry {
        SMTPEntry(
            address: address, user: login?.user ?? "", passwordFile: login == nil ? nil : passwordFile,
            from: typedFrom, authorityFile: authority == nil ? nil : authorityFile, usesTLS: usesTLS)
    }

    var shownName: String { address.server.host }
    var mailbox: String? { nil }
    var lines: String {
        let entry = entry(passwordFile: "secrets/smtp", authorityFile: "secrets/smtp.pem")
        return (["smtp:"] + entry.lines).joined(separator: "\n")
    }

    func findings(in workspace: Workspace, _ configuration: Configuration) async throws -> DoctorFindings {
        var smtp = SMTPConfiguration(address: address, from: from)
        if let login {
            smtp.login = .init(user: login.user, credential: .password(Secret(value: login.password)))
        }
        smtp.usesTLS = usesTLS
        let scratch = try ScratchFolder()
        smtp.caFile = try authority.map { try scratch.write($0, to: "authority.pem") }
        let found = await SMTPCheckup.run(smtp, isOffline: false, sendingTo: recipient, within: Self.serverLimit)
        withExtendedLifetime(scratch) {}
        return found
    }

    func isIn(_ configuration: Configuration) -> Bool { configuration.smtp != nil }

    func write(_ change: ConfigurationChange) throws {
        var secrets: [(name: String, text: String)] = []
        func path(_ name: String, _ text: String) -> String {
            let free = change.freeName(name)
            secrets.append((free, text))
            return change.path(of: free)
        }
        let passwordFile = login.map { path(Self.secretName, $0.password + "\n") }
        let authorityFile = authority.map { path(Self.secretName + ".pem", $0) }
        let entry = entry(passwordFile: passwordFile, authorityFile: authorityFile)
        try change.write(try change.editor.adding(entry).text, secrets: secrets)
    }
}

extension Configuration {
    /// The server for letters as people see it, and the rules for what they write; nil when no letter goes out.
    ///
    /// - Parameter maxMessageBytes: largest message that the server takes; nil where that is not known.
    func letterServer(taking maxMessageBytes: Int?) -> LetterServer? {
        guard let smtp else { return nil }
        let address = "\(smtp.from.address)"
        return LetterServer(
            name: smtp.address.server.host, from: smtp.from.name.map { "\($0) <\(address)>" } ?? address,
            letters: LetterPolicy(
                maxAttachmentBytes: min(smtp.maxAttachmentBytes, maxMessageBytes.map(Self.attachmentBytes) ?? .max),
                perDay: smtp.perPerson, sender: EmailAddress(address),
                allowsLinks: links && server?.publicURL != nil, subaddressSeparator: routing.subaddressSeparator))
    }

    /// The bytes of files for which a message of a size has room: base64 with its line ends, beside header and text.
    private static func attachmentBytes(within messageBytes: Int) -> Int64 {
        max(0, Int64(messageBytes) - 200_000) / 78 * 57
    }
}
