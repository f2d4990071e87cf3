import Foundation
import TestSupport
import Testing

/// One message that kills, stalls or bloats the parser costs itself only: the 100 around it are filed.
@Suite(.startsPrograms, .serialized) struct PoisonTests {
    /// Marks that a debug build's workers honour, since GMime's own crashes are kept off by the scan in front of it.
    @Test(arguments: ["crash", "hang", "memory"]) func markedMessage(mark: String) async throws {
        let poison = "From: ann@example.com\nSubject: [Fund1] x\nX-Fundmail-Poison: \(mark)\n\nHello.\n"
        let done = try await replay(Array(poison.utf8), environment: ["FUNDMAIL_POISON": "1"])
        #expect(done.reason == "unparseable")
        // A hang is ended after 10 s (`ParseLimits.maxSeconds`), and then a child must be started again.
        #expect(done.finished.seconds < 60)
        #expect(done.finished.peak.child < 1024 * 1024, "KiB; the limit on the child's address space holds")
    }

    /// Without the scan before it, GMime 3.2.13 takes over a gigabyte or seconds for each, or crashes.
    @Test(arguments: ["groups", "headers", "parts", "depth"]) func realMessage(name: String) async throws {
        let done = try await replay(Self.bomb(name))
        #expect(done.reason == "too_complex")
        #expect(done.finished.seconds < 60)
        #expect(done.finished.peak.child < 200 * 1024, "KiB")
        #expect(done.finished.peak.own < 200 * 1024, "KiB")
    }

    private func replay(
        _ poison: [UInt8], environment: [String: String] = [:]
    ) async throws -> (reason: String?, finished: BuiltProgram.Finished) {
        var store = try await ReplayStore().with(environment)
        store.program.looksAtSizes = true
        defer { store.remove() }
        let good = CrashMail.messages(200).filter { $0.outcome == "filed" }.prefix(100)
        try #require(good.count == 100)
        try store.write(Array(good))
        // By name between the good ones.
        try Data(poison).write(to: URL(fileURLWithPath: "\(store.mail)/m00080-poison.eml"))

        let done = try await store.replay()
        try #require(done.isSuccess, "\(done.status) \(done.errors)")
        let lines = try jsonLines(done.output)
        let outcomes = Dictionary(lines.compactMap { $0["outcome"] as? String }.map { ($0, 1) }, uniquingKeysWith: +)
        #expect(outcomes == ["filed": 100, "rejected": 1])
        let rejected = try #require(lines.first { $0["outcome"] as? String == "rejected" })
        #expect((rejected["source"] as? String)?.hasSuffix("m00080-poison.eml") == true)
        let snapshot = try store.snapshot()
        #expect(snapshot.files.count { $0.hasPrefix("raw/") } == 101, "the rejected one is kept too")
        #expect(snapshot.wrongFiles.isEmpty)
        #expect(snapshot.leftovers.isEmpty)
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
        return (rejected["reason"] as? String, done)
    }

    private static func bomb(_ name: String) -> [UInt8] {
        let head = "From: ann@example.com\nSubject: [Fund1] x\n"
        let million = 1_000_000
        func repeated(_ text: String, _ count: Int) -> [UInt8] {
            [UInt8]([[UInt8]](repeating: Array(text.utf8), count: count).joined())
        }
        switch name {
        case "groups":
            return Array(head.utf8) + Array("To: ".utf8) + repeated("g:", million / 2) + Array("\n\nx\n".utf8)
        case "headers": return Array(head.utf8) + repeated("a: b\n", million) + Array("\nx\n".utf8)
        case "parts":
            return Array((head + "Content-Type: multipart/mixed; boundary=x\n\n".description).utf8)
                + repeated("--x\n\nhello\n", million) + Array("--x--\n".utf8)
        default:
            let levels = (0..<1000).map { level in
                "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n"
            }
            return Array((head + levels.joined()).utf8) + repeated("--x\n", million)
        }
    }
}
