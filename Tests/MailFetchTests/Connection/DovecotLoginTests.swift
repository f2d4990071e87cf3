import MailConnection
import MailFetch
import Synchronization
import TestSupport
import Testing

/// Every way in that libcurl and Dovecot share.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotLoginTests {
    static let schemes: [MailServerAddress.Scheme] = [.imaps, .imap, .pop3s, .pop3]
    static let mechanisms = ["PLAIN", "LOGIN", "CRAM-MD5", "OAUTHBEARER", "XOAUTH2"]

    @Test(arguments: mechanisms)
    func eachMechanismInEachMode(_ mechanism: String) async throws {
        var options = DovecotServer.Options()
        options.mechanisms = mechanism.lowercased()
        let server = try DovecotServer(options)
        defer { server.stop() }
        let mail = TestMail.make(2)
        for scheme in Self.schemes {
            let user = "\(mechanism.lowercased())-\(scheme.rawValue)"
            for message in mail { try server.deliver(message, to: user) }
            var harness = try MailboxHarness(scheme, on: server, user: user)
            if mechanism.contains("AUTH") {
                let token = BearerToken.make(user: user)
                harness.access.credentials = .oauth2 { _ in token }
            }
            let poll = try await harness.poll()
            #expect(poll.error == nil && harness.ledger.messages == Set(mail), "\(scheme): \(poll)")
            #expect(try server.mail(of: user).isEmpty)
            let login = server.log.split(separator: "\n").last { $0.contains("Login: user=<\(user)>") } ?? "no login"
            #expect(login.contains("method=\(mechanism),") && login.contains("TLS"), "\(login)")
        }
    }

    @Test(arguments: schemes)
    func wrongPasswordIsRefusedAndNotRepeatedInTheError(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        var harness = try MailboxHarness(scheme, on: server, user: "wrong-\(scheme.rawValue)")
        harness.access.credentials = .password("no such secret")
        let poll = try await harness.poll()
        #expect(poll.code == .loginRefused)
        #expect(!"\(String(describing: poll.error))".contains("no such secret"))
    }

    @Test(arguments: schemes)
    func expiredTokenIsFetchedAnewOnce(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "token-\(scheme.rawValue)"
        try server.deliver(TestMail.make(1)[0], to: user)
        let asked = Mutex<[Bool]>([])
        var harness = try MailboxHarness(scheme, on: server, user: user)
        harness.access.credentials = .oauth2 { isRefused in
            asked.withLock { $0.append(isRefused) }
            return BearerToken.make(user: user, expires: isRefused ? 4_000_000_000 : 1_700_000_000)
        }
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count == 1)
        #expect(asked.withLock { $0 } == [false, true])
        harness.access.credentials = .oauth2 { isRefused in
            asked.withLock { $0.append(isRefused) }
            return BearerToken.make(user: user, expires: 1_700_000_000)
        }
        #expect(try await harness.poll().code == .loginRefused)
        #expect(asked.withLock { $0 } == [false, true, false, true])
    }

    @Test func nobodyListens() async throws {
        let port = try HeldPort()
        let poll = try await MailboxHarness(.imaps, port: port.number, user: "nobody-listens").poll()
        #expect(poll.code == .unreachable)
    }
}
