import Foundation
import FundCore
import Synchronization
import TestSupport
import Testing

@testable import MailConnection
@testable import MailFetch

/// `--trace` is sent to strangers who help.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotTranscriptTests {
    @Test(
        arguments: DovecotLoginTests.schemes,
        [Credentials.password(DovecotServer.password), .oauth2 { _ in BearerToken.make(user: "trace") }])
    func holdsNoSecretAndNothingOfAMessage(
        _ scheme: MailServerAddress.Scheme, _ credentials: Credentials
    ) async throws {
        let server = try DovecotServer.shared.get()
        try server.deliver(Array("Subject: Confidential\r\n\r\nConfidential\r\n".utf8), to: "trace")
        let lines = Mutex<[String]>([])
        var harness = try MailboxHarness(scheme, on: server, user: "trace", after: .keep)
        harness.access.credentials = credentials
        harness.access.transcript = Transcript { line in lines.withLock { $0.append(line) } }
        let poll = try await harness.poll()
        #expect(poll.error == nil && poll.count > 0, "\(poll)")
        let secret = try credentials.secret(isRefused: false).text
        let said = lines.withLock { $0.joined(separator: "\n") }
        #expect(said.contains(scheme.isIMAP ? "UID FETCH" : "RETR"))
        #expect(!said.contains("Confidential") && !said.contains(secret))
        // Whatever was encoded is longer than any word that belongs there.
        let words = said.split { " \n".contains($0) }
        let encoded = words.filter { word in
            Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self).contains(secret) } ?? false
        }
        #expect(encoded.isEmpty)
    }

    /// The facts that the guard against an unencrypted login rests on.
    @Test(arguments: [(MailServerAddress.Scheme.imaps, true), (.imap, true), (.imap, false), (.pop3, false)])
    func encryptionIsSeen(_ scheme: MailServerAddress.Scheme, _ isEncrypted: Bool) throws {
        let server = try DovecotServer.shared.get()
        let login = CurlLogin(
            endpoint: MailServerAddress(
                scheme: scheme, user: "tls", host: "localhost", port: UInt16(server.ports.port(scheme))
            ).endpoint,
            dialect: MailboxDialect(scheme),
            identity: LoginIdentity(user: "tls", credentials: .password(DovecotServer.password)),
            tls: isEncrypted ? .required(caFile: try TestAuthority.shared.get().caFile) : .off,
            deadlines: ConnectionDeadlines(), cancellation: Cancellation())
        #expect(try login.open().isEncrypted == isEncrypted)
    }
}
