import TestSupport
import Testing

/// The servers of the tests themselves: what they promise to the other tests.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotServerTests {
    @Test func keepsWhatIsDelivered() async throws {
        let server = try DovecotServer()
        defer { server.stop() }
        let message = Array("Subject: one\r\n\r\nbody\r\n".utf8)
        try server.deliver(message, to: "keeper")
        try server.deliver(message, to: "keeper")
        try server.changeUIDValidity(of: "keeper", to: 4711)
        let status = try server.doveadm("mailbox", "status", "-u", "keeper", "messages uidvalidity uidnext", "INBOX")
        #expect(status.contains("messages=2") && status.contains("uidvalidity=4711") && status.contains("uidnext=3"))
        let mail = try server.mail(of: "keeper")
        #expect(mail.count == 2 && mail.allSatisfy { $0.bytes == message && $0.flags.isEmpty })
        server.stop()
        // Its killed children close their sockets in their own time.
        #expect(try await becomesTrue { LoopbackSocket.connect(port: server.ports.imap) == nil })
        #expect(TestFile.names(in: server.folder).isEmpty)
    }

    @Test func certificatesAreWhatTheyAreCalled() throws {
        let authority = try TestAuthority.shared.get()
        for certificate in TestAuthority.Certificate.allCases {
            let arguments = ["openssl", "verify", "-CAfile", authority.caFile, "-verify_hostname", "localhost"]
            let verified = try? ToolRun.output(arguments + [authority.certificatePath(certificate)])
            #expect((verified != nil) == [.valid, .ending].contains(certificate), "\(certificate)")
        }
    }
}
