import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Hints at the cause of a login that fails.
@Suite(.startsPrograms) struct LoginHintTests {
    private func poll(
        _ rules: String, _ scheme: MailServerAddress.Scheme, password: String = "sesame"
    ) async throws -> (error: ConnectionError?, lines: [String]) {
        let harness = try HostileHarness(ServerScript(rules, including: HostileHarness.folder), scheme)
        defer { harness.server.stop() }
        var mailbox = harness.mailbox
        mailbox.access.credentials = .password(password)
        let poll = try await mailbox.poll()
        return (poll.error as? ConnectionError, harness.server.lines)
    }

    /// RFC 1939 §7: the server must know the password itself.
    @Test func aRefusedAPOP() async throws {
        let rules = """
            S: +OK ready <1896.697170952@dbc.example>
            ON CAPA
            S: +OK
            S: USER
            S: UIDL
            S: .
            END
            ON APOP *
            S: -ERR no
            END
            """
        let (error, lines) = try await poll(rules, .pop3)
        #expect(error?.code == .loginRefused && error?.loginHint == .serverNeedsPasswordForAPOP, "\(error as Any)")
        #expect(lines.contains { $0.hasPrefix("APOP") })
    }

    @Test(arguments: [("sesame", nil), ("Schlüssel", .onlyASCII)] as [(String, ConnectionError.LoginHint?)])
    func lettersThatLOGINCannotCarry(_ password: String, _ hint: ConnectionError.LoginHint?) async throws {
        let imap = "ON * LOGIN *\nS: $tag NO no\nEND\nINCLUDE imap-login.txt\nINCLUDE imap-mailbox.txt"
        let pop3 = "ON PASS *\nS: -ERR no\nEND\nINCLUDE pop3-login.txt\nINCLUDE pop3-mailbox.txt"
        for (rules, scheme) in [(imap, MailServerAddress.Scheme.imap), (pop3, .pop3)] {
            let (error, _) = try await poll(rules, scheme, password: password)
            #expect(error?.code == .loginRefused && error?.loginHint == hint, "\(scheme): \(error as Any)")
        }
    }

    /// A short password occurs in the words of a server: what they say is read before it is left out.
    @Test(
        arguments: [
            ("s", "Server is busy", .throttled, nil), ("s", "wrong password", .loginRefused, nil),
            ("sesame", "password is incorrect, or system is busy", .throttled, .busyOrWrongPassword),
        ] as [(String, String, ConnectionError.Code, ConnectionError.LoginHint?)])
    func busyServersAndWrongPasswords(
        _ password: String, _ words: String, _ code: ConnectionError.Code, _ hint: ConnectionError.LoginHint?
    ) async throws {
        let rules = "ON * LOGIN *\nS: $tag NO \(words)\nEND\nINCLUDE imap-login.txt\nINCLUDE imap-mailbox.txt"
        let (error, _) = try await poll(rules, .imap, password: password)
        #expect(error?.code == code && error?.loginHint == hint, "\(error as Any)")
        #expect(password.count == 1 || error?.detail.contains(words) == true, "\(error as Any)")
    }

    /// Courier wraps messages with UTF-8 in their header unless it is told that they may come as they are (RFC 6856).
    @Test(arguments: ["+OK UTF8 enabled", "-ERR not now"])
    func utf8IsSwitchedOnBeforeAnythingIsListed(_ answer: String) async throws {
        let rules = """
            ON CAPA
            S: +OK
            S: USER
            S: UIDL
            S: UTF8 USER
            S: .
            END
            ON UTF8
            S: \(answer)
            END
            INCLUDE pop3-login.txt
            INCLUDE pop3-mailbox.txt
            """
        let (error, lines) = try await poll(rules, .pop3)
        #expect(error == nil)
        let places = ["UTF8", "UIDL", "RETR 1"].map { lines.firstIndex(of: $0) ?? -1 }
        #expect(places.allSatisfy { $0 >= 0 } && places == places.sorted(), "\(lines)")
        #expect(lines.count { $0 == "UTF8" } == 1)
    }
}

/// The other protocol answers.
@Suite(.startsPrograms) struct OtherProtocolTests {
    @Test(arguments: [
        (MailServerAddress.Scheme.imap, "+OK ready", "pop3://"),
        (.pop3, "* OK [CAPABILITY IMAP4rev1] ready", "imap://"),
    ])
    func isSeenAtOnce(_ scheme: MailServerAddress.Scheme, _ greeting: String, _ right: String) async throws {
        let harness = try HostileHarness(
            ServerScript("S: \(greeting)\nSILENCE\n", including: HostileHarness.folder), scheme)
        defer { harness.server.stop() }
        let begun = ContinuousClock.now
        let poll = try await harness.mailbox.poll()
        let time = ContinuousClock.now - begun
        let error = poll.error as? ConnectionError
        #expect(error?.code == .protocolViolation && error?.detail.contains(right) == true, "\(error as Any)")
        // Long before the deadline of a login.
        #expect(time < ConnectionDeadlines().login)
    }
}

/// A scheme that does not belong to the port.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct WrongSchemeTests {
    @Test(arguments: [
        (MailServerAddress.Scheme.imap, MailServerAddress.Scheme.imaps, ConnectionError.Code.tlsExpected),
        (.pop3, .pop3s, .tlsExpected), (.imaps, .imap, .tlsRequired), (.pop3s, .pop3, .tlsRequired),
    ])
    func isSeenAtOnce(
        _ scheme: MailServerAddress.Scheme, _ spoken: MailServerAddress.Scheme, _ code: ConnectionError.Code
    ) async throws {
        let server = try DovecotServer.shared.get()
        let harness = try MailboxHarness(scheme, port: server.ports.port(spoken), user: "scheme-\(scheme.rawValue)")
        let poll = try await harness.poll()
        #expect(poll.code == code, "\(poll)")
    }
}
