import Foundation
import TestSupport
import Testing

/// Sessions as a person sees them: clocks that are wrong, and sessions that end.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(10))) final class SessionTests {
    private let folder: String
    private var program: BuiltProgram

    init() throws {
        folder = try TestFile.makeFolder("fund-session")
        program = .fund(in: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func fund(_ words: String...) async throws -> BuiltProgram.Finished { try await program.run(words) }

    private func login(_ server: FundmailServer) async throws {
        let done = try await fund("login", server.url, FundmailServer.user)
        #expect(done.isSuccess, "\(done)")
    }

    /// Each command asks the server; each must say the same.
    private func expectEnded(_ words: String, of server: FundmailServer) async throws {
        try TestFile.write("x", to: folder + "/a.txt")
        try FileManager.default.createDirectory(atPath: folder + "/synced", withIntermediateDirectories: true)
        let commands = [
            ["ls"], ["get", "Fund1/a.txt"], ["put", "a.txt", "Fund1"], ["mkdir", "Fund1/x"], ["rm", "Fund1/a.txt"],
            ["mv", "Fund1/a.txt", "Fund1/b.txt"], ["note", "add", "Fund1", "Title", "words"], ["mail", "list"],
            ["search", "x"], ["queue", "add", "Fund1"], ["sync", "synced"], ["status"],
        ]
        for command in commands {
            let done = try await program.run(command)
            let text = done.errors + done.output
            #expect(done.status == 77, "\(words): \(command): \(done)")
            #expect(text.contains("The session has ended") && text.contains("`fund login`"), "\(command): \(done)")
        }
        // The advice that it gives helps.
        try await login(server)
        let done = try await fund("ls")
        #expect(done.isSuccess, "\(words): \(done)")
    }

    @Test(.enabled(if: Faketime.isUsable), arguments: [-8760, -1, 1, 8760], [true, false])
    func wrongClocksChangeNothing(hours: Int, isServer: Bool) async throws {
        let words = Faketime.shifted(byHours: hours)
        let server = try await FundmailServer(prefix: isServer ? words : [])
        var program = program
        if !isServer { program.prefix = words }
        let bytes = [UInt8](repeating: 7, count: 300_000)
        try TestFile.write(bytes, to: folder + "/a.bin")
        let commands = [
            ["login", server.url, FundmailServer.user], ["ls", "Fund1"], ["put", "a.bin", "Fund1"],
            ["get", "Fund1/a.bin", "--to", "back"], ["note", "add", "Fund1", "Title", "words"],
            ["note", "list", "Fund1"],
            ["queue", "add", "Fund1/a.bin", "--to", "queued"], ["queue", "run"], ["status"],
        ]
        for command in commands {
            let done = try await program.run(command)
            #expect(done.isSuccess, "\(hours) h, \(isServer): \(command): \(done); \(server.log)")
            // Who sees no reason for a failure may see it here.
            guard command == ["status"] else { continue }
            let isAhead = (hours > 0) == isServer
            #expect(done.output.contains(isAhead ? "ahead" : "behind"), "\(done)")
        }
        #expect(try TestFile.read(folder + "/back/a.bin") == bytes)
        #expect(try TestFile.read(folder + "/queued/a.bin") == bytes)
        try await server.kill()
    }

    /// A certificate is not valid at any time: what is wrong may be the clock.
    @Test(.enabled(if: Faketime.isUsable), arguments: [-87_600, 87_600])
    func clocksOutsideOfACertificateAreSaid(hours: Int) async throws {
        let server = try await FundmailServer(.valid)
        var program = program
        program.prefix = Faketime.shifted(byHours: hours)
        let authority = try TestAuthority.shared.get().caFile
        let done = try await program.run(["login", server.url, FundmailServer.user, "--ca-file", authority])
        #expect(done.status == 69 && done.errors.contains("clock"), "\(done)")
        try await server.kill()
    }

    @Test(.enabled(if: Faketime.isUsable)) func expiredSessionsAreSaid() async throws {
        let clock = folder + "/clock"
        try Faketime.set(clock, days: 0)
        let server = try await FundmailServer(prefix: Faketime.following(clock))
        try await login(server)
        #expect(try await fund("ls").isSuccess)
        try Faketime.set(clock, days: 400)
        try await expectEnded("expired", of: server)
        try await server.kill()
    }

    @Test func revokedSessionsAreSaid() async throws {
        let server = try await FundmailServer()
        try await login(server)
        let done = try await server.store.run("user", "token", "revoke", FundmailServer.user, "--all")
        #expect(done.isSuccess, "\(done)")
        try await expectEnded("revoked", of: server)
        try await server.kill()
    }

    @Test func changedPasswordsAreSaid() async throws {
        let server = try await FundmailServer()
        try await login(server)
        try await server.store.setPassword("quite another password", of: FundmailServer.user)
        try await server.store.setPassword(FundmailServer.password, of: FundmailServer.user)
        try await expectEnded("changed", of: server)
        try await server.kill()
    }
}
