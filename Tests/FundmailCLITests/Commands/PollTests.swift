import TestSupport
import Testing

/// `fundmail poll` against a real server, as a person runs it.
@Suite(.enabled(if: DovecotServer.isUsable))
struct PollTests {
    @Test(arguments: MailboxSettings.Scheme.allCases)
    func filesMailAndLetsGoOfIt(_ scheme: MailboxSettings.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        let user = "poll-\(scheme.rawValue)"
        try store.configure(MailboxSettings("funds", scheme, at: server, user: user))
        let mail = CrashMail.messages(20)
        for message in mail { try server.deliver(message.wireBytes, to: user) }
        let first = try await store.run("poll", "--json")
        #expect(first.isSuccess, "\(first)")
        let run = try MessageLine.read(first.output)
        #expect(run.lines.map(\.line.outcome).sorted() == mail.map(\.outcome).sorted())
        #expect(run.lines.allSatisfy { $0.line.source.hasPrefix("funds/") })
        #expect(run.summary.seen == mail.count && run.summary.failed == 0)
        #expect(try server.mail(of: user).isEmpty)
        let second = try await store.run("poll")
        #expect(second.isSuccess && second.output.contains("funds          0"), "\(second)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }
}
