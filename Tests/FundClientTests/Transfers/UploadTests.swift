import Foundation
import GRDB
import TestSupport
import Testing

@testable import FundClient

@Suite(.startsPrograms, .serialized) struct UploadTests {
    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private static func content(of file: File, _ session: Session) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in try await session.content(of: file.id).body { bytes += piece }
        return bytes
    }

    private static func files(_ harness: TransferHarness) async throws -> [File] {
        try await harness.session.items(of: .fund(harness.fund)).compactMap { item in
            if case .file(let file) = item { file } else { nil }
        }
    }

    @Test func filesAreSentAndReplaced() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let (bytes, other) = (harness.bytes(3_000_000, seed: 1), harness.bytes(100, seed: 2))
        let path = harness.folder + "/a.bin"
        try Self.write(bytes, path)
        try Self.write([], harness.folder + "/empty.bin")
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: harness.session)
        func new(_ name: String, _ ifTaken: IfTaken) -> Upload.Target {
            .new(name: name, fund: harness.fund, folder: nil, ifTaken: ifTaken)
        }
        let ids = try await queue.add([
            .upload(Upload(path, to: new("a.bin", .number))), .upload(Upload(path, to: new("a.bin", .number))),
            .upload(Upload(harness.folder + "/empty.bin", to: new("empty.bin", .refuse))),
            .upload(Upload(harness.folder + "/missing.bin", to: new("missing.bin", .refuse))),
        ])
        try await runner.run()
        #expect(try await queue.transfer(ids[3])?.failure?.code == .local)
        #expect(try await Self.files(harness).map(\.name).sorted() == ["a(1).bin", "a.bin", "empty.bin"])
        let id = try #require(try await queue.transfer(ids[0])?.file)
        let file = try await harness.session.file(id)
        #expect(try await Self.content(of: file, harness.session) == bytes)
        // Other bytes, if it is still what it was.
        try Self.write(other, path)
        let replaced = try await queue.add(Upload(path, to: .content(of: id, ifMatch: file.digest)))
        try await runner.run()
        #expect(try await queue.transfer(replaced)?.state == .done)
        #expect(try await Self.content(of: file, harness.session) == other)
        let refused = try await queue.add(Upload(path, to: .content(of: id, ifMatch: file.digest)))
        let taken = try await queue.add(Upload(path, to: new("a.bin", .refuse)))
        try await runner.run()
        #expect(try await queue.transfer(refused)?.failure?.code == .preconditionFailed)
        #expect(try await queue.transfer(taken)?.failure?.code == .conflict)
    }

    @Test func cutUploadsGoOn() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let bytes = harness.bytes(6_000_000, seed: 3)
        let path = harness.folder + "/cut.bin"
        try Self.write(bytes, path)
        var rules = MeddlingProxy.Rules()
        rules.cutAfterClientBytes = 1_500_000
        let proxy = try MeddlingProxy(to: harness.port, rules: rules)
        let session = try await harness.session(at: proxy.port)
        let before = proxy.traffic.count
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let target = Upload.Target.new(name: "cut.bin", fund: harness.fund, folder: nil, ifTaken: .number)
        let id = try await queue.add(Upload(path, to: target))
        try await TransferRunner(queue, cache: ContentCache(of: catalogue), server: session).run()
        let done = try #require(try await queue.transfer(id))
        #expect(done.state == .done, "\(String(describing: done.failure))")
        let files = try await Self.files(harness)
        #expect(files.map(\.name) == ["cut.bin"])
        #expect(try await Self.content(of: files[0], harness.session) == bytes)
        let sent = proxy.traffic.dropFirst(before).reduce(0) { $0 + $1.clientBytes }
        #expect(sent < 9_000_000, "\(sent) bytes")
    }

    /// The server is killed and started again while files are sent to it.
    @Test func theServerMayDie() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        var expected: [String: [UInt8]] = [:]
        for number in 0..<12 {
            let (name, bytes) = ("\(number).bin", harness.bytes(4_000_000, seed: UInt64(100 + number)))
            expected[name] = bytes
            try Self.write(bytes, "\(harness.folder)/\(name)")
            let target = Upload.Target.new(name: name, fund: harness.fund, folder: nil, ifTaken: .number)
            try await queue.add(Upload("\(harness.folder)/\(name)", to: target))
        }
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: harness.session, limit: 3)
        let run = Task { try await runner.run() }
        for bytes in [500_000, 1_500_000, 3_000_000] as [Int64] {
            let isUnderWay = try await becomesTrue {
                queue.progressBoard.all.values.contains { (bytes..<4_000_000).contains($0.bytes) }
            }
            #expect(isUnderWay, "no file has come so far")
            harness.killServer()
            try await harness.startServer()
        }
        try await run.value
        let states = try await queue.transfers()
        #expect(states.allSatisfy { $0.state == .done }, "\(states.compactMap(\.failure))")
        let files = try await Self.files(harness)
        #expect(files.map(\.name).sorted() == expected.keys.sorted())
        for file in files { #expect(try await Self.content(of: file, harness.session) == expected[file.name]) }
    }

    /// A file that changes while it is sent is sent anew, as it is then.
    @Test func aFileThatChangesIsSentAnew() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        var rules = MeddlingProxy.Rules()
        // So small that the file is never through before it changes, however slow the machine is.
        rules.cutAfterClientBytes = 100_000
        // From the first connection on: the file may go up on the one that signed in.
        let proxy = try MeddlingProxy(to: harness.port, rules: rules)
        let session = try await harness.session(at: proxy.port)
        let path = harness.folder + "/changing.bin"
        try Self.write(harness.bytes(3_000_000, seed: 4), path)
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let target = Upload.Target.new(name: "changing.bin", fund: harness.fund, folder: nil, ifTaken: .number)
        _ = try await queue.add(Upload(path, to: target))
        let runner = TransferRunner(queue, cache: ContentCache(of: catalogue), server: session)
        let run = Task { try await runner.run() }
        // In the middle of it: what the cut connection had brought is there, and the rest is to come.
        #expect(try await becomesTrue { proxy.traffic.contains(where: \.isCut) })
        let bytes = harness.bytes(2_500_000, seed: 5)
        try Self.write(bytes, path)
        proxy.setRules(MeddlingProxy.Rules())
        try await run.value
        let files = try await Self.files(harness)
        #expect(files.map(\.name) == ["changing.bin"])
        #expect(try await Self.content(of: files[0], harness.session) == bytes)
    }

    /// An upload that was complete when its client was killed, and whose file is another by now.
    @Test(arguments: ["as it was", "changed here", "deleted there"])
    func completeUploadsAreWhatTheyWere(change: String) async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let path = harness.folder + "/a.bin"
        let (old, new) = (harness.bytes(100_000, seed: 7), harness.bytes(200_000, seed: 8))
        try Self.write(old, path)
        let target = Upload.Target.new(name: "a.bin", fund: harness.fund, folder: nil, ifTaken: .refuse)
        let address = try await harness.session.beginUpload(
            to: target, contentType: "application/octet-stream", size: Int64(old.count))
        let sent = try await harness.session.finishUpload(address, from: 0, size: Int64(old.count)) {
            AsyncThrowingStream { continuation in
                continuation.yield(old)
                continuation.finish()
            }
        }
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let id = try await queue.add(Upload(path, to: target))
        let stamp = try await UploadSource.open(path).stamp
        try await catalogue.database.write { db in
            try db.execute(sql: "UPDATE transfer SET upload = ?, stamp = ?", arguments: [address, stamp])
        }
        if change == "changed here" { try Self.write(new, path) }
        if change == "deleted there" { try await harness.session.delete(sent.id) }
        try await TransferRunner(queue, cache: ContentCache(of: catalogue), server: harness.session).run()
        let ended = try #require(try await queue.transfer(id))
        let files = try await Self.files(harness)
        #expect(files.map(\.name) == ["a.bin"])
        #expect(try await Self.content(of: files[0], harness.session) == old)
        // It does not say that what is here now has been sent.
        #expect(ended.state == (change == "changed here" ? .failed : .done))
        #expect(ended.failure?.code == (change == "changed here" ? .conflict : nil))
        #expect((files[0].id == sent.id) == (change != "deleted there"))
    }

    /// A log that never rests is given up, and no file comes of it.
    @Test func aFileThatGrowsOnAndOnIsGivenUp() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let path = harness.folder + "/growing.log"
        try Self.write(harness.bytes(3_000_000, seed: 6), path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        let writer = Thread {
            while !Thread.current.isCancelled {
                try? file.write(contentsOf: Data("one more line\n".utf8))
                // The pace of a program that writes a log: the file is to grow all the time, and not to fill the disk.
                usleep(500)
            }
        }
        writer.start()
        defer { writer.cancel() }
        let catalogue = try harness.catalogue()
        let queue = TransferQueue(of: catalogue)
        let target = Upload.Target.new(name: "growing.log", fund: harness.fund, folder: nil, ifTaken: .number)
        let id = try await queue.add(Upload(path, to: target))
        try await TransferRunner(queue, cache: ContentCache(of: catalogue), server: harness.session).run()
        let ended = try #require(try await queue.transfer(id))
        #expect(ended.state == .failed)
        #expect(ended.failure?.code == .changedHere)
        #expect(try await Self.files(harness).isEmpty)
    }
}
