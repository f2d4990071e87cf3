import MailConnection
import Foundation
import FundStore
import FundCore
import MailFetch
import MailWatch
import TestSupport
import Testing

@testable import FundmailCLI
@testable import Terminal

/// `poll` when a mailbox fails: its words, its exit status, and the other mailboxes, which are polled all the same.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct PollFailureTests {
    private static let wrongPassword = "not the password"

    /// A failing mailbox beside one that works.
    private func poll(
        _ purpose: String, _ bad: (ReplayStore) throws -> MailboxSettings
    ) async throws -> BuiltProgram.Finished {
        let store = try await ReplayStore()
        defer { store.remove() }
        let server = try DovecotServer.shared.get()
        let user = "beside-\(purpose)"
        try server.deliver(CrashMail.messages(1)[0].wireBytes, to: user)
        try store.configure(bad(store), MailboxSettings("good", at: server, user: user))
        let done = try await store.run("poll", "--json")
        let run = try MessageLine.read(done.output)
        #expect(run.summary.seen == 1 && run.lines.first?.line.outcome == "filed", "the other is done: \(done)")
        #expect(try server.mail(of: user).isEmpty)
        #expect(done.errors.split(separator: "\n").count == 1, "\(done.errors)")
        #expect(done.errors.hasPrefix("fundmail: Mailbox bad: "), "\(done.errors)")
        #expect(!done.errors.contains(Self.wrongPassword) && !done.errors.contains(DovecotServer.password))
        return done
    }

    @Test(arguments: MailboxSettings.Scheme.allCases)
    func wrongPassword(_ scheme: MailboxSettings.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let done = try await poll("password-\(scheme.rawValue)") { _ in
            var settings = try MailboxSettings("bad", scheme, at: server, user: "ann")
            settings.login = "password: \(Self.wrongPassword)"
            return settings
        }
        #expect(done.status == 69 && done.errors.contains("refuses the login of ann"), "\(done)")
        #expect(done.errors.contains("check the user"))
    }

    @Test func nobodyListens() async throws {
        let port = try HeldPort()
        let url = "imaps://u@localhost:\(port.number)"
        let done = try await poll("down") { _ in try MailboxSettings("bad", url: url) }
        #expect(done.status == 69 && done.errors.contains("localhost:\(port.number) cannot be reached"), "\(done)")
        #expect(!done.errors.contains("Closing connection"), "says why: \(done.errors)")
    }

    @Test(arguments: [TestAuthority.Certificate.expired, .wrongHost, .otherAuthority, .selfSigned])
    func badCertificate(_ certificate: TestAuthority.Certificate) async throws {
        var options = DovecotServer.Options()
        options.certificate = certificate
        let server = try DovecotServer(options)
        defer { server.stop() }
        for scheme in [MailboxSettings.Scheme.imaps, .pop3] {
            let done = try await poll("\(certificate.rawValue)-\(scheme.rawValue)") { _ in
                try MailboxSettings("bad", scheme, at: server)
            }
            #expect(done.status == 69 && done.errors.contains("does not prove that it is localhost"), "\(done)")
            #expect(!server.log.contains("Login: user=<bad>"))
        }
    }

    @Test func unreadablePasswordFile() async throws {
        let server = try DovecotServer.shared.get()
        let done = try await poll("file") { _ in
            var settings = try MailboxSettings("bad", at: server)
            settings.login = "password_file: nowhere/secret"
            return settings
        }
        #expect(done.status == 78 && done.errors.contains("nowhere/secret cannot be read"), "\(done)")
    }

    @Test func missingFolder() async throws {
        let server = try DovecotServer.shared.get()
        let done = try await poll("folder") { _ in
            var settings = try MailboxSettings("bad", at: server)
            settings.url += "/No%20such"
            return settings
        }
        #expect(done.status == 69 && done.errors.contains("does not open No such"), "\(done)")
    }

    @Test func serverThatAsksForPatience() async throws {
        let server = try LoopbackServer { _, socket in
            _ = LoopbackSocket.send("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] hello\r\n".utf8, to: socket)
            while true {
                let line = String(decoding: LoopbackSocket.receive(socket), as: UTF8.self)
                guard let tag = line.split(separator: " ").first else { return }
                let reply =
                    line.contains("CAPABILITY")
                    ? "* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n\(tag) OK done\r\n"
                    : "\(tag) NO [UNAVAILABLE] Suggested Backoff Time: 90000 milliseconds\r\n"
                guard LoopbackSocket.send(reply.utf8, to: socket) else { return }
            }
        }
        defer { server.stop() }
        let done = try await poll("patience") { _ in
            var settings = try MailboxSettings("bad", url: "imap://u@127.0.0.1:\(server.port)")
            settings.caFile = nil
            settings.lines.append("tls: off")
            return settings
        }
        #expect(done.status == 75 && done.errors.contains("try again in 90 s"), "\(done)")
    }

    /// It is left when its time is over, and the run goes on later.
    @Test func serverThatTakesTooLong() async throws {
        let server = try LoopbackServer { _, socket in
            _ = LoopbackSocket.send("* OK hello\r\n".utf8, to: socket)
            while true {
                let line = String(decoding: LoopbackSocket.receive(socket), as: UTF8.self)
                guard let tag = line.split(separator: " ").first else { return }
                let capability = line.contains("CAPABILITY") ? "* CAPABILITY IMAP4rev1\r\n" : ""
                // Never silent, and never done with the SELECT.
                while line.contains("SELECT") {
                    guard LoopbackSocket.send("* OK still at it\r\n".utf8, to: socket) else { return }
                    // The pace of a slow server: without a pause it would be a flood, which ends a run for itself.
                    usleep(100_000)
                }
                guard LoopbackSocket.send("\(capability)\(tag) OK done\r\n".utf8, to: socket) else { return }
            }
        }
        defer { server.stop() }
        let done = try await poll("slow") { _ in
            var settings = try MailboxSettings("bad", url: "imap://u@127.0.0.1:\(server.port)")
            settings.caFile = nil
            settings.lines += ["tls: off", "run_limit: 2s"]
            return settings
        }
        #expect(done.status == 75 && done.errors.contains("the run took longer than 2s"), "\(done)")
        #expect(done.errors.contains("run_limit in the configuration"))
    }

    @Test func configurationMistakes() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let none = try await store.run("poll")
        #expect(none.status == 78 && none.errors.contains("No mailbox is configured"), "\(none)")
        try store.configure(MailboxSettings("funds", at: DovecotServer.shared.get(), user: "nobody"))
        let unknown = try await store.run("poll", "--mailbox", "fund")
        #expect(unknown.status == 78 && unknown.errors.contains("Did you mean funds?"), "\(unknown)")
    }

    @Test(
        arguments: [
            ([], nil), ([.temporary], .temporary), ([.temporary, .unavailable], .unavailable),
            ([.unavailable, .configuration], .configuration),
            ([.configuration, .cannotCreate, .temporary], .cannotCreate),
        ] as [([Terminal.ExitStatus], Terminal.ExitStatus?)])
    func weightiestStatus(_ failures: [Terminal.ExitStatus], _ status: Terminal.ExitStatus?) {
        #expect(CommandError.weightiest(failures) == status)
    }

    /// A secret that cannot be read says itself what is wrong, also when only the login asks for it.
    @Test(arguments: [false, true])
    func adviceWithoutASecret(_ isTold: Bool) throws {
        let mailbox = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "imaps://ann@mail.example"),
            credential: .password(Secret(value: "sesame")), trust: .vouched)
        func failure(_ error: CredentialError) -> CommandError {
            let login = ConnectionError(.tokenUnavailable, during: "fetching a token", "\(error)", underlying: error)
            return CommandError(isTold ? login : error, at: mailbox)
        }
        let file = failure(CredentialError(.configuration, "password_file /x is empty"))
        #expect(file.status == .configuration && file.message == "Mailbox funds: password_file /x is empty.")
        let command = failure(CredentialError(.unavailable, "its token_command prints nothing"))
        #expect(command.status == .unavailable)
        let words = "its token_command prints nothing; run it by hand, as the same user, to see why."
        #expect(command.message == "Mailbox funds: \(words)")
    }

    /// A busy server and a wrong password are told apart, and so is a server that does not tell.
    @Test(
        arguments: [
            (.throttled, nil, .temporary, "asks for patience (no); try again later."),
            (
                .throttled, .busyOrWrongPassword, .temporary,
                "does not say whether it is busy or the password is wrong (no); try again later; where it stays so, see"
            ),
            (.loginRefused, nil, .unavailable, "refuses the login of ann (no); check the user in its url"),
        ] as [(ConnectionError.Code, ConnectionError.LoginHint?, Terminal.ExitStatus, String)])
    func adviceOnRefusedLogins(
        _ code: ConnectionError.Code, _ hint: ConnectionError.LoginHint?, _ status: Terminal.ExitStatus, _ words: String
    ) throws {
        let mailbox = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "imaps://ann@mail.example"),
            credential: .password(Secret(value: "sesame")), trust: .vouched)
        var error = ConnectionError(code, during: "login", "no")
        error.loginHint = hint
        let failure = CommandError(error, at: mailbox)
        #expect(failure.status == status && failure.message.contains(words), "\(failure.message)")
    }

    /// With imaps:// in the url, the advice is not to write imaps://.
    @Test(
        arguments: [
            ("imaps", "does not begin with TLS"), ("imap", "use imaps://"), ("pop3s", "pop3:// is for STARTTLS"),
            ("pop3", "use pop3s://"),
        ])
    func adviceWithoutEncryption(_ scheme: String, _ words: String) throws {
        let mailbox = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "\(scheme)://ann@mail.example"),
            credential: .password(Secret(value: "sesame")), trust: .vouched)
        let failure = CommandError(ConnectionError(.tlsRequired, during: "login"), at: mailbox)
        #expect(failure.message.contains(words), "\(failure.message)")
    }

    /// Every kind of failure has words of its own and the right status.
    @Test(
        arguments: [
            (.badConfiguration, .configuration), (.unreachable, .unavailable), (.certificate, .unavailable),
            (.tlsRequired, .unavailable), (.loginRefused, .unavailable), (.tokenUnavailable, .unavailable),
            (.throttled, .temporary), (.inUse, .temporary), (.runLimit, .temporary), (.protocolViolation, .unavailable),
            (.connectionLost, .unavailable), (.timedOut, .unavailable), (.cancelled, .temporary),
            (.commandRefused, .unavailable), (.mailboxUnavailable, .unavailable), (.unsupported, .unavailable),
            (.messageUnavailable, .unavailable), (.spool, .cannotCreate), (.outOfMemory, .temporary),
            (ConnectionError.Code(rawValue: "new_one"), .unavailable),
        ] as [(ConnectionError.Code, Terminal.ExitStatus)])
    func phrases(_ code: ConnectionError.Code, _ status: Terminal.ExitStatus) throws {
        let mailbox = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "imaps://ann@mail.example/Box"),
            credential: .password(Secret(value: "sesame")), trust: .vouched)
        let failure = CommandError(ConnectionError(code, during: "SELECT", "it says no."), at: mailbox)
        #expect(failure.status == status)
        #expect(failure.message.hasPrefix("Mailbox funds: ") && failure.message.hasSuffix("."))
        #expect(failure.message.contains("(it says no); "), "\(failure.message)")
        #expect(!failure.message.contains("sesame"))
    }
}
