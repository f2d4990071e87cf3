import Foundation
import FundClient
import TestSupport
import Testing

/// The code of docs/programs.md, as it stands there.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct DocumentedCallsTests {
    @Test func theTenCallsWork() async throws {
        let running = try await FundmailServer(messages: CrashMail.messages(8))
        let (server, password) = (try address(running.url), FundmailServer.password)
        let bytes: [UInt8] = Array("The figures.".utf8)

        let transport = try AsyncHTTPTransport()
        let store = MemoryStore()
        let session = try await Session.signIn(
            to: server, email: "ann@example.com", password: password, label: "Funds on Ann's tablet",
            transport: transport, store: store)
        let funds = try await session.fundSummaries()
        let fund = try #require(funds.first { $0.emailCount > 0 }).fund
        let sent = try await session.upload(.bytes(bytes), named: "q3.pdf", to: .fund(fund.id), ifTaken: .number)
        let items = try await session.items(of: .fund(fund.id))
        #expect(items.contains(.file(try await session.file(sent.id))) || items.contains { $0.name == "q3.pdf" })
        var received: [UInt8] = []
        let content = try await session.content(of: sent.id)
        for try await piece in content.body { received += piece }
        #expect(received == bytes)
        let tagged = try await session.taggedFile(sent.id)
        let renamed = try await session.move(sent.id, named: "q3 final.pdf", ifMatch: tagged.tag)
        #expect(renamed.name == "q3 final.pdf")
        let page = try await session.emails(EmailFilter(fund: fund.id))
        let email = try await session.email(page.elements[0].id)
        #expect(email.fund == fund.id)
        let note = try await session.addNote(titled: "Call Bob", "About the figures", in: fund.id)
        let changed = try await session.changeNote(
            note.id, in: fund.id, title: note.title, content: "Done", unlessChangedSince: note.modifiedAt)
        #expect(changed.content == "Done")
        let hits = try await session.search("hello", SearchFilter(fund: fund.id)).elements
        #expect(hits.allSatisfy { $0.fund == fund.id })
        var cursor = ChangeCursor.beginning
        let changes = try await session.changes(since: cursor, withItems: true)
        cursor = changes.cursor
        #expect(!changes.changes.isEmpty && cursor != .beginning)
        await transport.shutdown()
        try await running.kill()
    }
}
