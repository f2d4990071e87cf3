import Foundation
import TestSupport
import Testing

@testable import FundClient

/// The command dies by SIGKILL at any moment, again and again, and others go on: nothing is lost, half or doubled.
@Suite(.startsPrograms, .serialized) struct CrashTests {
    private struct Client: Sendable {
        var program: BuiltProgram
        var words: [String]
        let folder: String

        init(_ harness: TransferHarness) {
            program = BuiltProgram()
            program.path = (program.path as NSString).deletingLastPathComponent + "/fund"
            program.environment["XDG_DATA_HOME"] = harness.folder + "/data"
            words = ["--config-dir", harness.folder + "/config", "--account", "\(harness.session.account)"]
            folder = harness.folder + "/data/fund/" + harness.session.account.key
        }

        func start(_ command: String...) throws -> BuiltProgram.Running {
            try program.start(["queue"] + command + words)
        }
    }

    @Test(arguments: [1, 2]) func killedDownloadsGoOn(processes: Int) async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let client = Client(harness)
        var random = SeededGenerator(seed: UInt64(processes))
        var expected: [String: [UInt8]] = [:]
        let catalogue = try Catalogue(in: client.folder)
        let queue = TransferQueue(of: catalogue)
        let folder = harness.folder + "/here"
        var works: [Transfer.Work] = []
        for number in 0..<200 {
            let bytes = harness.bytes(number % 20 == 0 ? 8_000_000 : 50_000, seed: UInt64(1000 + number))
            let file = try await harness.put("\(number).bin", bytes)
            expected["\(number).bin"] = bytes
            works.append(.download(Download(file, to: "\(folder)/\(number).bin")))
            if number % 3 == 0 { works.append(.download(Download(file))) }
        }
        try await queue.add(works)
        var (kills, rounds) = (0, 0)
        while try await queue.waitingCount() > 0, rounds < 100 {
            rounds += 1
            let runs = try (0..<processes).map { _ in try client.start("run", "--quiet") }
            for run in runs {
                let delay = Double.random(in: 0.03...0.2, using: &random)
                let done = try await run.wait(killAfter: delay)
                if done.wasKilled { kills += 1 }
            }
            // The next process takes over the transfers of the dead one.
            try await queue.reclaim()
        }
        let last = try await client.start("run", "--quiet").wait()
        #expect(last.isSuccess, "\(last)")
        #expect(kills > 5, "\(kills) kills in \(rounds) rounds")
        let states = try await queue.transfers()
        #expect(states.allSatisfy { $0.state == .done }, "\(states.filter { $0.state != .done })")
        #expect(TransferHarness.names(folder) == expected.keys.sorted(), "nothing half, nothing doubled")
        for (name, bytes) in expected { #expect(TransferHarness.read("\(folder)/\(name)") == bytes, "\(name)") }
        let cache = ContentCache(of: catalogue)
        let sweep = try await cache.sweep()
        #expect(sweep.missingCount == 0)
        for number in stride(from: 0, to: 200, by: 3) {
            let digest = try #require(
                states.compactMap { transfer -> Digest? in
                    guard case .download(let download) = transfer.work, download.name == "\(number).bin" else {
                        return nil
                    }
                    return download.digest
                }.first)
            let path = try #require(try await cache.file(with: digest))
            #expect(TransferHarness.read(path) == expected["\(number).bin"])
        }
    }

    @Test func killedUploadsGoOn() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let client = Client(harness)
        var random = SeededGenerator(seed: 77)
        var expected: [String: [UInt8]] = [:]
        let queue = TransferQueue(of: try Catalogue(in: client.folder))
        var works: [Transfer.Work] = []
        for number in 0..<80 {
            let name = "\(number).bin"
            let bytes = harness.bytes(number % 10 == 0 ? 8_000_000 : 50_000, seed: UInt64(2000 + number))
            expected[name] = bytes
            try Data(bytes).write(to: URL(fileURLWithPath: "\(harness.folder)/\(name)"))
            let target = FundClient.Upload.Target.new(
                name: name, fund: harness.fund, folder: nil, ifTaken: .number)
            works.append(.upload(Upload("\(harness.folder)/\(name)", to: target)))
        }
        try await queue.add(works)
        var (kills, rounds) = (0, 0)
        // Each kill may leave six uploads that were begun and of which nothing is known here; the server takes 100.
        while try await queue.waitingCount() > 0, kills < 15, rounds < 200 {
            rounds += 1
            let delay = Double.random(in: 0.05...0.15, using: &random)
            if try await client.start("run", "--quiet").wait(killAfter: delay).wasKilled { kills += 1 }
            try await queue.reclaim()
        }
        let last = try await client.start("run", "--quiet").wait()
        #expect(last.isSuccess, "\(last)")
        #expect(kills > 5, "\(kills) kills in \(rounds) rounds")
        let files = try await harness.session.items(of: .fund(harness.fund)).compactMap { item in
            if case .file(let file) = item { file } else { nil }
        }
        #expect(files.map(\.name).sorted() == expected.keys.sorted(), "nothing lost, nothing doubled")
        for file in files {
            var builder = DigestBuilder()
            builder.add(expected[file.name] ?? [])
            #expect(file.digest == builder.digest)
        }
    }
}
