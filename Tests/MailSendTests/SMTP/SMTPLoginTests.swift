import FundCore
import MailConnection
import Synchronization
import TestSupport
import Testing

@testable import MailSend

/// Logins that fail, and encryption that is not there: no password and no letter leaves this machine then.
@Suite struct SMTPLoginTests {
    private static func error(
        _ script: SMTPScript, _ change: @Sendable (inout SMTPAccess) -> Void = { _ in }
    ) async throws -> (error: ConnectionError?, lines: [String]) {
        let server = try script.start()
        defer { server.stop() }
        var access = SMTPAccess.test(server.port)
        access.deadlines.connection.login = .seconds(3)
        change(&access)
        let ready = access
        let error = await #expect(throws: ConnectionError.self) {
            try await ready.withConnection(limit: .seconds(20)) { _ throws(ConnectionError) in }
        }
        #expect(await server.waitUntilIdle())
        return (error, server.lines)
    }

    @Test(arguments: [
        ("535 5.7.8 Authentication credentials invalid", ConnectionError.Code.loginRefused),
        ("534-5.7.9 Application-specific password required", .loginRefused),
        ("432 4.7.12 A password transition is needed", .loginRefused),
        ("454 4.7.0 Temporary authentication failure", .throttled), ("421 4.7.0 Try again later", .throttled),
    ])
    func refusals(reply: String, code: ConnectionError.Code) async throws {
        var script = SMTPScript()
        script.replies["AUTH"] = reply.contains("-") && reply.hasPrefix("534") ? [reply, "534 5.7.9 see"] : [reply]
        let (error, lines) = try await Self.error(script)
        #expect(error?.code == code, "\(error as Any)")
        #expect(error?.detail.hasPrefix(reply.prefix(3)) == true && error?.detail.contains("sesame") == false)
        #expect(!lines.contains { $0.hasPrefix("MAIL") })
    }

    @Test(arguments: [
        ("421 4.3.2 too many connections", ConnectionError.Code.throttled),
        ("554 5.7.1 no mail from 192.0.2.1", .clientRefused), ("* OK IMAP4rev1 ready", .protocolViolation),
        ("+OK POP3 ready", .protocolViolation),
    ])
    func greetings(greeting: String, code: ConnectionError.Code) async throws {
        var script = SMTPScript()
        script.greeting = greeting
        let (error, lines) = try await Self.error(script)
        #expect(error?.code == code && !lines.contains { $0.hasPrefix("AUTH") }, "\(error as Any) \(lines)")
    }

    /// A login was asked for, and the server offers none: something else than the server may answer.
    @Test func noLoginIsOffered() async throws {
        var script = SMTPScript()
        script.keywords = ["SIZE 1000"]
        let (error, lines) = try await Self.error(script)
        #expect(error?.code == .protocolViolation && lines == ["EHLO client.example"], "\(error as Any) \(lines)")
    }

    @Test func noLoginThatIsKnown() async throws {
        var script = SMTPScript()
        script.keywords = ["AUTH X-OWN"]
        let (error, lines) = try await Self.error(script)
        #expect(error?.code == .unsupported || error?.code == .protocolViolation, "\(error as Any)")
        #expect(!lines.contains { $0.hasPrefix("AUTH") })
    }

    /// Encryption that is not offered, refused, or answered with more than the answer.
    @Test(arguments: [
        ([], []), (["STARTTLS"], ["ON STARTTLS", "S: 454 4.7.0 TLS not available", "END"]),
        (["STARTTLS"], ["ON STARTTLS", "S: 502 what?", "END"]),
        (["STARTTLS"], ["ON STARTTLS", "S| 220 go\\r\\n250 2.1.0 ok\\r\\n", "END"]),
        (["STARTTLS"], ["ON STARTTLS", "S: 220 go", "END"]),
    ])
    func strippedEncryption(keywords: [String], rules: [String]) async throws {
        var script = SMTPScript()
        script.keywords += keywords
        script.others = rules
        let (error, lines) = try await Self.error(script) { $0.tls = .required() }
        let expected: Set<ConnectionError.Code> = [.tlsRequired, .protocolViolation, .timedOut, .connectionLost]
        #expect(error.map { expected.contains($0.code) } == true, "\(error as Any)")
        #expect(
            !lines.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") || $0 == "AGFubgBzZXNhbWU=" }, "\(lines)")
    }

    @Test func plainTextOnTheEncryptedPort() async throws {
        let (error, lines) = try await Self.error(SMTPScript()) {
            $0.address.scheme = .smtps
            $0.tls = .required()
        }
        #expect(error?.code == .tlsRequired && !lines.contains { $0.hasPrefix("AUTH") }, "\(error as Any)")
    }

    @Test func nobodyListens() async throws {
        let closed = try HeldPort()
        let access = SMTPAccess.test(closed.number)
        let error = await #expect(throws: ConnectionError.self) {
            try await access.withConnection(limit: .seconds(20)) { _ throws(ConnectionError) in }
        }
        #expect(error?.code == .unreachable, "\(error as Any)")
    }

    /// The record of a login and a letter: verbs and replies, no secret and nothing of the letter.
    @Test func theTranscriptHoldsNoSecret() async throws {
        let server = try SMTPScript().start()
        defer { server.stop() }
        let said = Mutex<[String]>([])
        var access = SMTPAccess.test(server.port)
        access.transcript = Transcript { line in said.withLock { $0.append(line) } }
        let (ready, letter) = (access, try TestLetter.data())
        _ = try await offPool { try ready.send(letter, from: TestLetter.sender, to: TestLetter.recipient) }
        let text = said.withLock { $0.joined(separator: "\n") }
        for secret in ["sesame", "AGFubgBzZXNhbWU", "funds@corp", "ann@example", "Hello", "Subject"] {
            #expect(!text.contains(secret), "\(secret): \(text)")
        }
        for word in ["C: AUTH PLAIN", "C: MAIL FROM", "C: RCPT TO", "S: 354 go on", "S: 250 2.0.0 Ok: queued as 1"] {
            #expect(text.contains(word), "\(word): \(text)")
        }
    }
}

@Suite struct SubmissionAddressTests {
    @Test(arguments: [
        ("smtps://mail.corp.example", SubmissionAddress.Scheme.smtps, "mail.corp.example", 465),
        ("SMTP://mail.corp.example/", .smtp, "mail.corp.example", 587), ("smtp://[::1]:25", .smtp, "::1", 25),
        ("smtps://127.0.0.1:1465", .smtps, "127.0.0.1", 1465),
    ])
    func urlsAreRead(url: String, scheme: SubmissionAddress.Scheme, host: String, port: Int) throws {
        let address = try SubmissionAddress(url: url)
        #expect(address.scheme == scheme && address.server == HostAndPort(host: host, port: UInt16(port)))
    }

    @Test(arguments: [
        "", "mail.corp.example", "imaps://mail.corp.example", "smtp://", "smtp://u@h", "smtp://u:sesame@h",
        "smtp://h:0",
        "smtp://h:99999", "smtp://h:x", "smtp://h/x.example", "smtp://h h", "smtp://h\r\n", "smtp://[::1", "smtp://h?x",
    ])
    func wrongOnesAreRefused(url: String) {
        let error = #expect(throws: ConnectionError.self) { try SubmissionAddress(url: url) }
        #expect(error?.code == .badConfiguration && error.map { !"\($0)".contains("sesame") } == true)
    }
}
