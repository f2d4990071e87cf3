import FundClient
import Foundation
import FundCore
import TestSupport
import Testing

/// How a session begins and ends.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct SignInTests {
    @Test func signsInAndOut() async throws {
        let server = try await FundmailServer()
        let signedIn = try await SignedIn(server)
        #expect(signedIn.session.account.email == FundmailServer.user)
        #expect(try await signedIn.session.user().id == signedIn.session.account.user)
        #expect(signedIn.session.clock.difference.map { abs($0.components.seconds) < 60 } == true)
        let copy = Session(
            account: signedIn.session.account, credentials: signedIn.store, transport: signedIn.transport)
        _ = try await copy.funds()
        try await signedIn.session.signOut()
        #expect(await code { _ = try await signedIn.session.funds() } == .unauthenticated)
        // It still has the tokens; the server does not take them any more.
        #expect(await code { _ = try await copy.funds() } == .unauthenticated)
        let wrong = await code {
            _ = try await Session.signIn(
                to: try address(server.url), email: FundmailServer.user, password: "another password", label: "x",
                transport: signedIn.transport, store: signedIn.store)
        }
        #expect(wrong == .wrongPassword)
        await signedIn.transport.shutdown()
        #expect(await code { _ = try await copy.funds() } == .cancelled)
        try await server.kill()
    }

    /// Who has a second factor sends a code along, which is good for both APIs at once, and for one login.
    @Test func sendsACode() async throws {
        let server = try await FundmailServer()
        let user = try await SignedIn(server).session.account.user
        let codes = ["0000-1111-2222-3333", "4444-5555-6666-7777"]
        for code in codes {
            let digest = ContentDigest.of("\(user) \(code.replacing("-", with: ""))".utf8)
            try StoreSnapshot.execute(
                "INSERT INTO recovery_code (user_id, digest) VALUES (\(user), x'\(digest.hex)')",
                in: server.store.store)
        }
        let (transport, store) = (try AsyncHTTPTransport(), MemoryStore())
        func signIn(_ code: String?) async throws -> Session {
            try await Session.signIn(
                to: try address(server.url), email: FundmailServer.user, password: FundmailServer.password, code: code,
                label: "x", transport: transport, store: store)
        }
        #expect(await code { _ = try await signIn(nil) } == .codeAsked)
        #expect(await code { _ = try await signIn("000000") } == .wrongCode)
        let session = try await signIn(codes[0])
        let fund = try await session.makeFund(named: "Notes")
        _ = try await session.noteChanges(in: fund.id, since: nil)
        #expect(await code { _ = try await signIn(codes[0]) } == .wrongCode)
        await transport.shutdown()
        try await server.kill()
    }

    @Test func sendsNoPasswordOverAnUnencryptedNetwork() async throws {
        let transport = try AsyncHTTPTransport()
        let refused = await code {
            _ = try await Session.signIn(
                to: try address("http://192.0.2.1"), email: "ann@example.com", password: "x", label: "x",
                transport: transport, store: MemoryStore())
        }
        #expect(refused == .forbidden)
    }

    @Test func changedPasswordsEndSessions() async throws {
        let server = try await FundmailServer()
        let session = try await SignedIn(server).session
        let fund = try await session.makeFund(named: "Notes")
        try await server.store.setPassword("quite another password", of: FundmailServer.user)
        #expect(await code { _ = try await session.funds() } == .unauthenticated)
        #expect(await code { _ = try await session.noteChanges(in: fund.id, since: nil) } == .unauthenticated)
        try await server.kill()
    }
}
