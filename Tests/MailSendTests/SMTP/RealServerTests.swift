import Foundation
import FundCore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// aiosmtpd, a server of others, with its own reading of commands, logins and the end of a letter.
final class RealServer: Sendable {
    enum Mode: String { case plain, starttls, smtps }

    let folder: String
    let port: Int
    private let process: ServerProcess

    /// - Parameter token: of the user who logs in by OAuth.
    init(_ mode: Mode, certificate: TestAuthority.Certificate = .valid, token: String = "none") throws {
        let authority = try TestAuthority.shared.get()
        folder = try TestFile.makeFolder("aiosmtpd")
        try TestFile.write(token, to: "\(folder)/token")
        let words = [
            "\(PackageRoot.path)/scripts/support/aiosmtpd", folder, mode.rawValue,
            authority.certificatePath(certificate), authority.keyPath(certificate),
        ]
        let process = try ServerProcess(words, folder: folder)
        self.process = process
        // The first time it is installed.
        for _ in 0..<12_000 {
            if let line = process.log.split(separator: "\n").last, let port = Int(line) {
                self.port = port
                return
            }
            if process.log.contains("Error") { break }
            usleep(10_000)  // between two looks for the event
        }
        throw ServerFailure("aiosmtpd does not start: \(process.log)")
    }

    func stop() { process.stop() }

    /// The letters that it took, as they came.
    var letters: [[UInt8]] {
        get throws {
            let names = TestFile.names(in: folder).filter { $0.hasSuffix(".eml") }
            return try names.map { try TestFile.read("\(folder)/\($0)") }
        }
    }

    struct Facts: Decodable, Equatable {
        var from: String
        var to: [String]
        var encrypted: Bool
        var host: String
    }

    /// The envelope of a letter, numbered from 1.
    func facts(_ number: Int) throws -> Facts {
        try JSONDecoder().decode(Facts.self, from: Data(TestFile.read("\(folder)/\(number).json")))
    }
}

@Suite(.startsPrograms) struct RealServerTests {
    private static func send(
        _ data: MessageData, _ access: SMTPAccess, sender: OutgoingAddress? = TestLetter.sender
    ) async throws -> SendOutcome {
        try await offPool { try access.send(data, from: sender, to: TestLetter.recipient) }
    }

    /// The bytes that were written are those that the server has, over each kind of connection.
    @Test(arguments: [
        (RealServer.Mode.plain, SubmissionAddress.Scheme.smtp), (.starttls, .smtp), (.smtps, .smtps),
    ])
    func lettersArriveAsWritten(_ mode: RealServer.Mode, _ scheme: SubmissionAddress.Scheme) async throws {
        let server = try RealServer(mode)
        defer { server.stop() }
        let authority = try TestAuthority.shared.get()
        let tls = mode == .plain ? TLSPolicy.off : .required(caFile: authority.caFile)
        let access = SMTPAccess.test(server.port, scheme: scheme, tls: tls, user: mode == .plain ? nil : "ann")
        var letters = RandomLetters(seed: 4)
        var written: [[UInt8]] = []
        for _ in 0..<9 {
            let data = try MessageWriter.data(of: letters.letter())
            guard data.bytes.count < 1 << 20 else { continue }
            written.append(data.bytes)
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
        let server = try RealServer(.plain)
        defer { server.stop() }
        let data = try TestLetter.data(String(repeating: "A line of a long letter.\r\n", count: 50_000))
        let outcome = try await Self.send(data, .test(server.port, user: nil))
        guard case .failed(let reply) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reply.code == 552)
    }

    @Test(arguments: [(RealServer.Mode.starttls, SubmissionAddress.Scheme.smtp), (.smtps, .smtps)])
    func aWrongPassword(_ mode: RealServer.Mode, _ scheme: SubmissionAddress.Scheme) async throws {
        let server = try RealServer(mode)
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
        let server = try RealServer(.smtps, token: "right")
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
        for (mode, scheme) in [(RealServer.Mode.starttls, SubmissionAddress.Scheme.smtp), (.smtps, .smtps)] {
            let server = try RealServer(mode, certificate: certificate)
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
        (RealServer.Mode.smtps, SubmissionAddress.Scheme.smtp, ConnectionError.Code.tlsExpected),
        (.starttls, .smtps, .tlsRequired), (.plain, .smtp, .tlsRequired),
    ])
    func theWrongScheme(
        _ mode: RealServer.Mode, _ scheme: SubmissionAddress.Scheme, _ code: ConnectionError.Code
    ) async throws {
        let server = try RealServer(mode)
        defer { server.stop() }
        let tls = TLSPolicy.required(caFile: try TestAuthority.shared.get().caFile)
        let error = try await #require(throws: ConnectionError.self) {
            try await Self.send(try TestLetter.data(), .test(server.port, scheme: scheme, tls: tls))
        }
        #expect(error.code == code, "\(error)")
    }
}
