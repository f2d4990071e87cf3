import Foundation
import TestSupport
import Testing

/// `fund get` and `fund put` die by SIGKILL, and the same command goes on where they were.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(10))) final class KilledTransferTests {
    private static let largeBytes = 24_000_000

    private let folder: String
    private var program: BuiltProgram

    init() throws {
        folder = try TestFile.makeFolder("fund-killed")
        program = .fund(in: folder)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func fund(_ words: String...) async throws -> BuiltProgram.Finished { try await program.run(words) }

    private func large(_ seed: Int) -> [UInt8] { patternBytes(Self.largeBytes, from: seed) }

    private func names(_ name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []).sorted()
    }

    /// The lines of `fund queue`.
    private func queued() async throws -> [[String: any Sendable]] {
        let done = try await fund("queue", "list", "--json")
        #expect(done.isSuccess, "\(done)")
        return try jsonLines(done.output)
    }

    /// A proxy that is slow after so many bytes of each connection, so that a kill comes in the middle.
    private func stall(_ proxy: MeddlingProxy, server: Int? = nil, client: Int? = nil) {
        var rules = MeddlingProxy.Rules()
        rules.stallAfterServerBytes = server
        rules.stallAfterClientBytes = client
        proxy.setRules(rules)
    }

    /// Runs a command until so many bytes went over the proxy and most of them are written down, and kills it then.
    private func kill(_ words: [String], _ proxy: MeddlingProxy, after bytes: Int) async throws {
        let before = Self.bytes(proxy)
        let running = try program.start(words)
        let isThere = try await becomesTrue { Self.bytes(proxy) - before > bytes || !running.isRunning }
        #expect(isThere && running.isRunning, "\(running.errorsSoFar)")
        let isWritten = try await becomesTrue {
            try await queued().contains { $0["bytes"] as? Int ?? 0 > Self.largeBytes / 2 }
        }
        #expect(isWritten, "\(running.errorsSoFar)")
        #expect(try await running.wait(killAfter: 0).wasKilled)
    }

    private static func bytes(_ proxy: MeddlingProxy) -> Int {
        proxy.traffic.reduce(0) { $0 + $1.serverBytes + $1.clientBytes }
    }

    @Test func getGoesOnWhereItWasKilled() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        #expect(try await fund("login", "http://localhost:\(proxy.port)", FundmailServer.user).isSuccess)
        let bytes = large(1)
        try FileManager.default.createDirectory(atPath: folder + "/Tree", withIntermediateDirectories: true)
        try TestFile.write(bytes, to: folder + "/Tree/large.bin")
        try TestFile.write([1], to: folder + "/Tree/small.bin")
        #expect(try await fund("put", "Tree", "Fund1").isSuccess)
        #expect(try await queued().isEmpty)

        stall(proxy, server: 16_000_000)
        try await kill(["get", "Fund1/Tree", "--to", "back"], proxy, after: 15_000_000)
        #expect(names("back/Tree").contains { $0.hasSuffix(".fund-part") })
        #expect(!names("back/Tree").contains("large.bin"))
        let left = try await queued()
        #expect(left.count == 1 && left[0]["name"] as? String == "large.bin", "\(left)")
        #expect(left.first?["bytes"] as? Int ?? 0 > 0, "\(left)")

        stall(proxy)
        let before = Self.bytes(proxy)
        let done = try await fund("get", "Fund1/Tree", "--to", "back")
        #expect(done.isSuccess && done.output.contains("Loaded 1 file") && done.output.contains("1 was"), "\(done)")
        #expect(names("back/Tree") == ["large.bin", "small.bin"])
        #expect(try TestFile.read(folder + "/back/Tree/large.bin") == bytes)
        #expect(Self.bytes(proxy) - before < Self.largeBytes - 8_000_000, "\(Self.bytes(proxy) - before)")
        #expect(try await queued().isEmpty)
        try await server.kill()
    }

    @Test func putGoesOnWhereItWasKilled() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        #expect(try await fund("login", "http://localhost:\(proxy.port)", FundmailServer.user).isSuccess)
        let bytes = large(2)
        try TestFile.write(bytes, to: folder + "/large.bin")
        stall(proxy, client: 16_000_000)
        try await kill(["put", "large.bin", "Fund1"], proxy, after: 15_000_000)
        let left = try await queued()
        #expect(left.count == 1 && left[0]["direction"] as? String == "up", "\(left)")
        stall(proxy)
        #expect(try await !fund("ls", "Fund1", "--json").output.contains("large.bin"))

        let before = Self.bytes(proxy)
        let done = try await fund("put", "large.bin", "Fund1", "--json")
        let lines = try jsonLines(done.output)
        #expect(done.isSuccess && lines.count == 1 && lines[0]["to"] as? String == "Fund1/large.bin", "\(done)")
        #expect(lines.first?["size"] as? Int == Self.largeBytes)
        #expect(Self.bytes(proxy) - before < Self.largeBytes - 8_000_000, "\(Self.bytes(proxy) - before)")
        #expect(try await queued().isEmpty)
        #expect(try await fund("get", "Fund1/large.bin", "--to", "back").isSuccess)
        #expect(try TestFile.read(folder + "/back/large.bin") == bytes)
        #expect(try await fund("ls", "Fund1", "--json").output.contains("large(1)") == false)
        try await server.kill()
    }

    /// `fund queue run` also does the work that another command left.
    @Test func theQueueFinishesWhatWasKilled() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        #expect(try await fund("login", "http://localhost:\(proxy.port)", FundmailServer.user).isSuccess)
        let bytes = large(3)
        try TestFile.write(bytes, to: folder + "/large.bin")
        #expect(try await fund("put", "large.bin", "Fund1").isSuccess)
        stall(proxy, server: 16_000_000)
        try await kill(["get", "Fund1/large.bin", "--to", "back"], proxy, after: 15_000_000)
        stall(proxy)
        #expect(try await fund("queue", "run").isSuccess)
        #expect(names("back") == ["large.bin"])
        #expect(try TestFile.read(folder + "/back/large.bin") == bytes)
        try await server.kill()
    }

    /// Any moment is a good one to be killed: nothing half, nothing doubled, nothing left over.
    @Test func treesSurviveKillsAtAnyMoment() async throws {
        let server = try await FundmailServer()
        #expect(try await fund("login", server.url, FundmailServer.user).isSuccess)
        var random = SeededGenerator(seed: 15)
        var tree: [String: [UInt8]] = [:]
        try FileManager.default.createDirectory(atPath: folder + "/Tree", withIntermediateDirectories: true)
        for number in 0..<60 {
            let count = number % 15 == 0 ? 6_000_000 : 30_000
            let bytes = patternBytes(count, from: number)
            tree["\(number).bin"] = bytes
            try TestFile.write(bytes, to: "\(folder)/Tree/\(number).bin")
        }
        for words in [["put", "Tree", "Fund1"], ["get", "Fund1/Tree", "--to", "back"]] {
            var (kills, rounds, seconds) = (0, 0, 0.5)
            while kills < 8, rounds < 60 {
                rounds += 1
                // So that there is something left to do on a fast machine.
                for number in stride(from: 0, to: 60, by: 5) where words[0] == "get" {
                    try? FileManager.default.removeItem(atPath: "\(folder)/back/Tree/\(number).bin")
                }
                let begin = ContinuousClock.now
                let delay = Double.random(in: 0.02...seconds, using: &random)
                if try await program.run(words, killAfter: delay).wasKilled {
                    kills += 1
                } else {
                    seconds = max(0.05, (ContinuousClock.now - begin) / .seconds(1))
                }
            }
            #expect(kills == 8, "\(kills) kills in \(rounds) rounds")
            let done = try await program.run(words)
            #expect(done.isSuccess, "\(done)")
            #expect(try await queued().isEmpty)
        }
        let lines = try jsonLines(try await fund("ls", "Fund1/Tree", "--json").output)
        #expect(lines.count == tree.count, "\(lines.count)")
        #expect(names("back/Tree") == tree.keys.sorted())
        for (name, bytes) in tree { #expect(try TestFile.read("\(folder)/back/Tree/\(name)") == bytes, "\(name)") }
        try await server.kill()
    }

    /// A cut line is no end; a server that stays away is one, and nothing is lost by it.
    @Test func cutLinesAreGoneOnWith() async throws {
        let server = try await FundmailServer()
        let proxy = try MeddlingProxy(to: server.port)
        defer { proxy.stop() }
        #expect(try await fund("login", "http://localhost:\(proxy.port)", FundmailServer.user).isSuccess)
        let bytes = large(4)
        try TestFile.write(bytes, to: folder + "/large.bin")
        var rules = MeddlingProxy.Rules()
        rules.cutAfterClientBytes = 9_000_000
        rules.cutAfterServerBytes = 9_000_000
        proxy.setRules(rules)
        let sent = try await fund("put", "large.bin", "Fund1")
        #expect(sent.isSuccess, "\(sent)")
        let got = try await fund("get", "Fund1/large.bin", "--to", "back")
        #expect(got.isSuccess, "\(got)")
        #expect(try TestFile.read(folder + "/back/large.bin") == bytes)
        try await server.kill()
    }
}
