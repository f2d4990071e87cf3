import Foundation
import TestSupport
import Testing

@testable import FundClient

@Suite(.startsPrograms, .serialized) struct DownloadTests {
    @Test func filesComeIntoTheCacheAndIntoFolders() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let (small, large) = (harness.bytes(20_000, seed: 1), harness.bytes(5_000_000, seed: 2))
        let files = [
            try await harness.put("small.bin", small), try await harness.put("large.bin", large),
            try await harness.put("nothing.bin", []),
        ]
        let catalogue = try harness.catalogue()
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        let folder = harness.folder + "/here"
        for file in files {
            try await queue.add(Download(file, to: "\(folder)/\(file.name)"))
            // A second one takes a number.
            try await queue.add(Download(.file(file.id), name: file.name, to: "\(folder)/\(file.name)"))
            try await queue.add(Download(file))
        }
        try await TransferRunner(queue, cache: cache, server: harness.session).run()
        let done = try await queue.transfers()
        #expect(done.allSatisfy { $0.state == .done }, "\(done.compactMap(\.failure))")
        #expect(
            TransferHarness.names(folder) == [
                "large(1).bin", "large.bin", "nothing(1).bin", "nothing.bin", "small(1).bin", "small.bin",
            ])
        for name in ["large.bin", "large(1).bin"] { #expect(TransferHarness.read("\(folder)/\(name)") == large) }
        for name in ["small.bin", "small(1).bin"] { #expect(TransferHarness.read("\(folder)/\(name)") == small) }
        let cached = try #require(try await cache.file(with: files[1].digest))
        #expect(TransferHarness.read(cached) == large)
        #expect(try await cache.byteCount() == 5_020_000)
    }

    /// The line is cut every 400,000 bytes of a download; it goes on where it was. What was on its way is lost, which
    /// may be much of them on a busy machine; a download from the start would never end.
    @Test func cutLinesAreResumed() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let bytes = harness.bytes(3_000_000, seed: 3)
        let file = try await harness.put("cut.bin", bytes)
        let proxy = try MeddlingProxy(to: harness.port)
        let session = try await harness.session(at: proxy.port)
        var rules = MeddlingProxy.Rules()
        rules.cutAfterServerBytes = 400_000
        proxy.setRules(rules)
        let before = proxy.traffic.count
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let id = try await queue.add(Download(file, to: harness.folder + "/cut.bin"))
        try await TransferRunner(queue, cache: ContentCache(of: catalogue), server: session).run()
        let done = try #require(try await queue.transfer(id))
        #expect(done.state == .done, "\(String(describing: done.failure))")
        #expect(TransferHarness.read(harness.folder + "/cut.bin") == bytes)
        let loaded = proxy.traffic.dropFirst(before).reduce(0) { $0 + $1.serverBytes }
        #expect(loaded < 6_000_000, "\(loaded) bytes")
    }

    /// Bytes that are other than the server's are found out by their digest, and never get the name.
    @Test func damagedPartsAreLoadedAnew() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let bytes = harness.bytes(1_000_000, seed: 4)
        let file = try await harness.put("damaged.bin", bytes)
        let catalogue = try harness.catalogue()
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        let part = cache.partPath(of: file.digest)
        try FileManager.default.createDirectory(
            atPath: (part as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 500_000).write(to: URL(fileURLWithPath: part))
        let id = try await queue.add(Download(file))
        try await TransferRunner(queue, cache: cache, server: harness.session).run()
        #expect(try await queue.transfer(id)?.state == .done)
        let path = try #require(try await cache.file(with: file.digest))
        #expect(TransferHarness.read(path) == bytes)
        #expect(!FileManager.default.fileExists(atPath: part))
    }

    /// A line that changes bytes: found out by the digest, and loaded anew; after three times it is said.
    @Test func changedBytesNeverGetTheName() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let bytes = harness.bytes(500_000, seed: 8)
        let file = try await harness.put("changed.bin", bytes)
        let proxy = try MeddlingProxy(to: harness.port)
        let session = try await harness.session(at: proxy.port)
        var rules = MeddlingProxy.Rules()
        rules.changeServerByte = 200_000
        rules.cutAfterServerBytes = 510_000
        proxy.setRules(rules)
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let path = harness.folder + "/changed.bin"
        let id = try await queue.add(Download(file, to: path))
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: session)
        try await runner.run()
        #expect(try await queue.transfer(id)?.failure?.code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: path))
        proxy.setRules(MeddlingProxy.Rules())
        #expect(try await queue.retry() == 1)
        try await runner.run()
        #expect(TransferHarness.read(path) == bytes)
    }

    @Test func whatCannotSucceedIsSaid() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let file = try await harness.put("a.bin", [1, 2, 3])
        let catalogue = try harness.catalogue()
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        try Data([9]).write(to: URL(fileURLWithPath: harness.folder + "/taken.bin"))
        let gone = try await queue.add(Download(.file(FileID(999)), name: "gone"))
        let taken = try await queue.add(Download(file, to: harness.folder + "/taken.bin", ifTaken: .refuse))
        let replacing = try await queue.add(Download(file, to: harness.folder + "/replaced.bin", ifTaken: .replace))
        let below = try await queue.add(Download(file, to: harness.folder + "/taken.bin/below.bin"))
        try Data([8]).write(to: URL(fileURLWithPath: harness.folder + "/replaced.bin"))
        try await TransferRunner(queue, cache: cache, server: harness.session).run()
        #expect(try await queue.transfer(gone)?.failure?.code == .notFound)
        #expect(try await queue.transfer(taken)?.failure?.code == .conflict)
        #expect(try await queue.transfer(below)?.failure?.code == .local)
        #expect(try await queue.transfer(replacing)?.state == .done)
        #expect(TransferHarness.read(harness.folder + "/taken.bin") == [9])
        #expect(TransferHarness.read(harness.folder + "/replaced.bin") == [1, 2, 3])
    }

    @Test(.enabled(if: SmallDisk.isPossible)) func aFullDiskIsSaidAndLeavesNothingHalf() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let file = try await harness.put("big.bin", harness.bytes(30_000_000, seed: 5))
        let disk = try SmallDisk(bytes: 25_000_000)
        defer { disk.unmount() }
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let id = try await queue.add(Download(file, to: disk.path + "/big.bin"))
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: harness.session)
        try await runner.run()
        #expect(try await queue.transfer(id)?.failure?.code == .noSpaceHere)
        #expect(!FileManager.default.fileExists(atPath: disk.path + "/big.bin"))
        try disk.resize(bytes: 100_000_000)
        #expect(try await queue.retry([id]) == 1)
        try await runner.run()
        #expect(try await queue.transfer(id)?.state == .done)
        #expect(TransferHarness.read(disk.path + "/big.bin")?.count == 30_000_000)
    }

    @Test func pausedAndCancelledTransfersEnd() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let proxy = try MeddlingProxy(to: harness.port)
        let session = try await harness.session(at: proxy.port)
        let file = try await harness.put("slow.bin", harness.bytes(2_000_000, seed: 6))
        var rules = MeddlingProxy.Rules()
        rules.stallAfterServerBytes = 1_000_000
        proxy.setRules(rules)
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let ids = try await queue.add([
            .download(Download(file, to: harness.folder + "/one.bin")),
            .download(Download(file, to: harness.folder + "/two.bin")),
        ])
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: session)
        let run = Task { try await runner.run(until: .never) }
        _ = try await becomesTrue { try await queue.progressNow().running.contains { $0.bytes > 500_000 } }
        #expect(try await queue.pause([ids[0]]) == 1)
        #expect(try await queue.cancel([ids[1]]) == 1)
        let isQuiet = try await becomesTrue { try await queue.transfers(in: [.running]).isEmpty }
        #expect(isQuiet)
        // A cancelled download leaves nothing; a paused one keeps its part.
        let isTidy = try await becomesTrue {
            TransferHarness.names(harness.folder).count { $0.hasSuffix(".fund-part") } == 1
        }
        #expect(isTidy, "\(TransferHarness.names(harness.folder))")
        proxy.setRules(MeddlingProxy.Rules())
        #expect(try await queue.resume() == 1)
        let isDone = try await becomesTrue { try await queue.transfer(ids[0])?.state == .done }
        #expect(isDone)
        #expect(try await queue.transfer(ids[1])?.state == .cancelled)
        run.cancel()
        _ = try? await run.value
    }
}
