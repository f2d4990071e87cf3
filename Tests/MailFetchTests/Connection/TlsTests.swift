import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// The password is sent to a verified server only; otherwise the failure says what is wrong.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct TlsTests {
    @Test(arguments: [TestAuthority.Certificate.expired, .wrongHost, .otherAuthority, .selfSigned])
    func certificateThatProvesNothing(_ certificate: TestAuthority.Certificate) async throws {
        var options = DovecotServer.Options()
        options.certificate = certificate
        let server = try DovecotServer(options)
        defer { server.stop() }
        for scheme in DovecotLoginTests.schemes {
            try server.deliver(TestMail.make(1)[0], to: "ann")
            let harness = try MailboxHarness(scheme, on: server, user: "ann")
            let poll = try await harness.poll()
            #expect(poll.code == .certificate && poll.count == 0, "\(scheme): \(poll)")
        }
        #expect(!server.log.contains("Login: user=") && !server.log.contains("auth failed"), "\(server.log)")
    }

    /// The system's authorities do not know ours: without `tls_ca_file` it must fail too.
    @Test func privateAuthorityThatIsNotConfigured() async throws {
        let server = try DovecotServer.shared.get()
        for scheme in DovecotLoginTests.schemes {
            let poll = try await MailboxHarness(scheme, on: server, user: "system-ca", tls: .required()).poll()
            #expect(poll.code == .certificate, "\(scheme): \(poll)")
        }
    }

    /// The names that a certificate for `localhost` does not have.
    @Test func anotherNameOfTheSameServer() async throws {
        let server = try DovecotServer.shared.get()
        var harness = try MailboxHarness(.imaps, on: server, user: "by-address")
        harness.access.address.host = "127.0.0.1"  // this one it has
        #expect(try await harness.poll().error == nil)
        harness.access.address.host = "127.0.0.2"
        let poll = try await harness.poll()
        #expect(poll.code == .certificate || poll.code == .unreachable, "\(poll)")
    }

    private static let downgrades = [
        "imap-no-starttls", "imap-starttls-refused", "imap-starttls-bad", "imap-starttls-injection",
        "imap-starttls-plain", "imap-preauth", "imap-preauth-starttls", "pop3-no-stls", "pop3-stls-refused",
        "pop3-stls-injection", "pop3-stls-plain",
    ]

    @Test(arguments: downgrades)
    func strippedEncryption(_ transcript: String) async throws {
        let authority = try TestAuthority.shared.get()
        let harness = try HostileHarness(transcript, tls: .required(caFile: authority.caFile), isHurried: true)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(await harness.server.waitUntilIdle())
        #expect(poll.error != nil && poll.count == 0, "\(poll)")
        #expect(!harness.triedToLogIn, "\(harness.server.lines)")
        #expect(!harness.server.lines.contains { $0.contains(DovecotServer.password) })
        // Bytes from before the handshake never count as bytes from after it.
        if transcript.hasSuffix("injection") { #expect(harness.server.lines.count <= 2, "\(harness.server.lines)") }
        let said = HostileHarness.codes(poll)
        #expect(said.isDisjoint(with: [.loginRefused, .mailboxUnavailable, .badConfiguration]), "\(poll)")
    }

    /// PREAUTH is refused on a connection without encryption, as tests on loopback have: it asks for no password.
    @Test(arguments: ["imap-preauth", "imap-preauth-starttls"])
    func preauthenticated(_ transcript: String) async throws {
        let harness = try HostileHarness(transcript)
        let poll = try await harness.mailbox.poll()
        #expect(poll.error != nil && poll.count == 0 && !harness.triedToLogIn, "\(poll)")
    }

    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s])
    func plainTextOnTheEncryptedPort(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try ScriptedServer(ServerScript(file: "\(HostileHarness.folder)/plain-on-tls-port.txt"))
        defer { server.stop() }
        let poll = try await MailboxHarness(scheme, port: server.port, user: "ann").poll()
        #expect(poll.code == .tlsRequired && poll.count == 0, "\(poll)")
        #expect(!server.lines.contains { $0.contains(DovecotServer.password) })
    }

    enum End: CaseIterable { case reset, resetAtOnce, hungUp, cut, refusedProtocol, refusedCiphers }

    /// A server that restarts, or something between us and it, drops the line: the next try may do. A refusal stays
    /// one.
    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s], End.allCases)
    func handshakeThatEnds(_ scheme: MailServerAddress.Scheme, _ end: End) async throws {
        let server = try LoopbackServer { _, socket in
            if end != .resetAtOnce { _ = LoopbackSocket.receive(socket) }
            switch end {
            case .reset, .resetAtOnce: LoopbackSocket.resetWhenClosed(socket)
            case .hungUp: LoopbackSocket.shutDown(socket)
            case .cut:
                _ = LoopbackSocket.send([0x16, 3, 3, 0, 0x5A, 2, 0] as [UInt8], to: socket)
                LoopbackSocket.shutDown(socket)
            // Alerts of RFC 8446 §6.2.
            case .refusedProtocol: _ = LoopbackSocket.send([0x15, 3, 3, 0, 2, 2, 70] as [UInt8], to: socket)
            case .refusedCiphers: _ = LoopbackSocket.send([0x15, 3, 3, 0, 2, 2, 40] as [UInt8], to: socket)
            }
        }
        defer { server.stop() }
        let poll = try await MailboxHarness(scheme, port: server.port, user: "ann").poll()
        let isRefusal = end == .refusedProtocol || end == .refusedCiphers
        // A reset that is there before libcurl looks is one of connecting.
        let isUnreachable = end == .resetAtOnce && poll.code == .unreachable
        #expect(isUnreachable || poll.code == (isRefusal ? .tlsRequired : .connectionLost), "\(poll)")
        #expect((poll.error as? ConnectionError)?.isTemporary == !isRefusal && poll.count == 0)
    }

    /// Slow servers under TLS: handshake, login and message at a byte each 100 ms.
    @Test(arguments: [0, 1500, 3300])
    func slowUnderTls(_ slowAfter: Int) async throws {
        let server = try DovecotServer.shared.get()
        let user = "slow-\(slowAfter)"
        try server.deliver(TestMail.make(1, bytes: 100_000)[0], to: user)
        var rules = MeddlingProxy.Rules()
        rules.slowAfterServerBytes = slowAfter
        rules.slowInterval = .milliseconds(100)
        let proxy = try MeddlingProxy(to: server.ports.imaps, rules: rules)
        var harness = try MailboxHarness(.imaps, port: proxy.port, user: user)
        harness.diesWithTheLine = true
        harness.access.deadlines.connection.loginResponse = .seconds(1)
        harness.access.deadlines.connection.login = .seconds(3)
        harness.access.deadlines.stall = .seconds(1)
        harness.access.deadlines.response = .seconds(2)
        let poll = try await harness.poll()
        #expect(HostileHarness.codes(poll).contains(.timedOut) && harness.ledger.kept.isEmpty, "\(poll)")
        #expect(try server.mail(of: user).count == 1)
    }

    /// The end of a TLS stream without close_notify is no end of anything (a truncation attack).
    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s], [false, true])
    func streamThatEndsWithoutGoodbye(_ scheme: MailServerAddress.Scheme, _ resets: Bool) async throws {
        let server = try DovecotServer.shared.get()
        let user = "truncated-\(scheme.rawValue)-\(resets)"
        let mail = TestMail.make(1, bytes: 100_000)
        try server.deliver(mail[0], to: user)
        var rules = MeddlingProxy.Rules()
        rules.cutAfterServerBytes = 50_000
        rules.resets = resets
        let proxy = try MeddlingProxy(to: server.ports.port(scheme), rules: rules)
        var harness = try MailboxHarness(scheme, port: proxy.port, user: user)
        harness.diesWithTheLine = true
        let poll = try await harness.poll()
        #expect(HostileHarness.codes(poll).contains(.connectionLost) && harness.ledger.kept.isEmpty, "\(poll)")
        #expect(try server.mail(of: user).map(\.bytes) == mail)
    }
}
