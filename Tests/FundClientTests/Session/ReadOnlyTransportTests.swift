import FundClient
import TestSupport
import Testing

@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct ReadOnlyTransportTests {
    @Test func nothingIsChanged() async throws {
        let signedIn = try await SignedIn(try await FundmailServer(messages: CrashMail.messages(4)))
        let session = Session(
            account: signedIn.session.account, credentials: signedIn.store,
            transport: ReadOnlyTransport(signedIn.transport))
        let fund = try #require(try await session.fundSummaries().first { $0.emailCount > 0 })
        let email = try #require(try await session.emails(EmailFilter(fund: fund.id)).elements.first)
        #expect(try await session.words(of: email.id).hasPrefix("Hello"))
        #expect(try await !session.search("hello").elements.isEmpty)

        #expect(await code { _ = try await session.makeFund(named: "New") } == .invalid)
        #expect(await code { _ = try await session.addNote(titled: "a", "b", in: fund.id) } == .invalid)
        #expect(await code { try await session.delete(email.id) } == .invalid)
        #expect(await code { try await session.deleteFund(fund.id) } == .invalid)
        #expect(try await session.fundSummaries().map(\.emailCount).reduce(0, +) > 0)
        #expect(try await session.notes(in: fund.id).isEmpty)
        await signedIn.transport.shutdown()
        try await signedIn.server.kill()
    }
}
