import Foundation
import FundCore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

@Suite(.startsPrograms) struct RealServerTests {
    private static func send(
        _ data: MessageData, _ access: SMTPAccess, sender: OutgoingAddress? = TestLetter.sender
    ) async throws -> SendOutcome {
        try await offPool { try access.send(data, from: sender, to: TestLetter.recipient) }
    }

    /// The bytes that were written are those that the server has, over each kind of connection.
    @Test(arguments: [
        (SubmissionServer.Mode.plain, SubmissionAddress.Scheme.smtp), (.starttls, .smtp), (.smtps, .smtps),
    ])
    func lettersArriveAsWritten(_ mode: SubmissionServer.Mode, _ scheme: SubmissionAddress.Scheme) async throws {
        let server = try SubmissionServer(mode)
        defer { server.stop() }
        let authority = try TestAuthority.shared.get()
        let tls = mode == .plain ? TLSPolicy.off : .required(caFile: authority.caFile)
        let access = SMTPAccess.test(server.port, scheme: scheme, tls: tls, user: mode == .plain ? nil : "ann")
        var letters = RandomLetters(seed: 4)
        var written: [[UInt8]] = []
        for _ in 0..<9 {
            let data = try MessageWriter.data(of: letters.letter())
            guard data.size < 1 << 20 else { continue }
            written.append(try data.collect())
            let outcome = try await Self.send(data, access, sender: written.count == 1 ? nil : TestLetter.sender)
            #expect(outcome == .sent(SMTPReply(code: 250, text: "2.0.0 Ok: queued as \(written.count)")))
        }
        #expect(try server.letters == written)
        let facts = try server.facts(2)
        #expect(facts.from == "funds@corp.example" && facts.to == ["ann@example.com"] && facts.host == "client.example")
        let first = try server.facts(1)
        #expect(first.from == "<>" && facts.encrypted == (mode != .plain), "\(first) \(facts)")
    }

    @Test func aLetterThatIsTooLarge() async throws {
        let server = try SubmissionServer(.plain)
        defer { server.stop() }
        let data = try TestLetter.data(String(repeating: "A line of a long letter.\r\n", count: 50_000))
        let outcome = try await Self.send(data, .test(server.port, user: nil))
        guard case .failed(let reply) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reply.code == 552)
    }

    @Test(arguments: [(SubmissionServer.Mode.starttls, SubmissionAddress.Scheme.smtp), (.smtps, .smtps)])
    func aWrongPassword(_ mode: SubmissionServer.Mode, _ scheme: SubmissionAddress.Scheme) async throws {
        let server = try SubmissionServer(mode)
        defer { server.stop() }
        let tls = TLSPolicy.required(caFile: try TestAuthority.shared.get().caFile)
        let access = SMTPAccess.test(server.port, scheme: scheme, tls: tls, password: "wrong")
        let error = try await #require(throws: ConnectionError.self) {
            try await Self.send(try TestLetter.data(), access)
        }
        #expect(error.code == .loginRefused && error.detail.hasPrefix("535"), "\(error)")
    }

    @Test(arguments: [("right", true), ("wrong", false)])
    func tokens(_ token: String, isTaken: Bool) async throws {
        let server = try SubmissionServer(.smtps, token: "right")
        defer { server.stop() }
        let tls = TLSPolicy.required(caFile: try TestAuthority.shared.get().caFile)
        var access = SMTPAccess.test(server.port, scheme: .smtps, tls: tls)
        let asked = Count()
        access.identity = LoginIdentity(
            user: "ann@example.com",
            credentials: .oauth2 { _ in
                asked.grow()
                return token
            })
        let ready = access
        if isTaken {
            guard case .sent = try await Self.send(try TestLetter.data(), ready) else {
                return #expect(Bool(false), "not sent")
            }
            #expect(asked.number == 1)
        } else {
            let error = try await #require(throws: ConnectionError.self) {
                try await Self.send(try TestLetter.data(), ready)
            }
            // A refused token is fetched anew once.
            #expect(error.code == .loginRefused && asked.number == 2, "\(error)")
        }
    }

    @Test(arguments: [TestAuthority.Certificate.expired, .wrongHost, .otherAuthority, .selfSigned])
    func certificateThatProvesNothing(_ certificate: TestAuthority.Certificate) async throws {
        let tls = TLSPolicy.required(caFile: try TestAuthority.shared.get().caFile)
        for (mode, scheme) in [(SubmissionServer.Mode.starttls, SubmissionAddress.Scheme.smtp), (.smtps, .smtps)] {
            let server = try SubmissionServer(mode, certificate: certificate)
            defer { server.stop() }
            let error = try await #require(throws: ConnectionError.self) {
                try await Self.send(try TestLetter.data(), .test(server.port, scheme: scheme, tls: tls))
            }
            #expect(error.code == .certificate, "\(mode): \(error)")
            #expect(try server.letters.isEmpty)
        }
    }

    /// A scheme that does not belong to the port.
    @Test(arguments: [
        (SubmissionServer.Mode.smtps, SubmissionAddress.Scheme.smtp, ConnectionError.Code.tlsExpected),
        (.starttls, .smtps, .tlsRequired), (.plain, .smtp, .tlsRequired),
    ])
    func theWrongScheme(
        _ mode: SubmissionServer.Mode, _ scheme: SubmissionAddress.Scheme, _ code: ConnectionError.Code
    ) async throws {
        let server = try SubmissionServer(mode)
        defer { server.stop() }
        let tls = TLSPolicy.required(caFile: try TestAuthority.shared.get().caFile)
        let error = try await #require(throws: ConnectionError.self) {
            try await Self.send(try TestLetter.data(), .test(server.port, scheme: scheme, tls: tls))
        }
        #expect(error.code == code, "\(error)")
    }
}
