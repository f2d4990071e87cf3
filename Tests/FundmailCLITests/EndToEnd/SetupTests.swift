import Foundation
import TestSupport
import Testing

/// Output of `serve` over a store without an administrator.
@Suite(.startsPrograms) struct SetupTests {
    private static let mark = "No administrator yet. Open http://127.0.0.1:"

    /// Also where little is logged, and in each format, once.
    @Test(arguments: ["text", "json"])
    func theConsoleShowsTheCode(_ format: String) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try TestFile.write("store: ./store\nserver: {listen: 127.0.0.1:0}\n", to: store.configuration)
        let words = store.arguments(["serve", "--log-level", "error", "--log-format", format])
        let first = try store.program.start(words)
        defer { first.kill() }
        #expect(try await becomesTrue { first.errorsSoFar.contains("type this code: ") }, "\(first.errorsSoFar)")
        let lines = first.errorsSoFar.split(separator: "\n").filter { $0.contains("code") }
        #expect(lines.count == 1 && lines[0].contains(Self.mark) && lines[0].contains("/setup and type this code: "))
        #expect(lines[0].hasPrefix("{") == (format == "json"))
        first.signal(SIGTERM)
        #expect(try await first.wait().isSuccess)

        let added = try await store.run("user", "add", "root@example.com", "--admin")
        #expect(added.isSuccess, "\(added)")
        let second = try store.program.start(store.arguments(["serve"]))
        defer { second.kill() }
        #expect(try await becomesTrue { second.errorsSoFar.contains("serving on") }, "\(second.errorsSoFar)")
        #expect(!second.errorsSoFar.contains("administrator"))
        second.signal(SIGTERM)
        #expect(try await second.wait().isSuccess)
    }
}
