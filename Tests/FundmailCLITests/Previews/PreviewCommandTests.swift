import FundCore
import FundStore
import TestSupport
import Testing

/// `fundmail preview` on a real store, beside the process that holds it.
@Suite(.startsPrograms) struct PreviewCommandTests {
    private func run(_ held: PreviewedStore, _ words: String...) async throws -> BuiltProgram.Finished {
        try await BuiltProgram().run(["preview"] + words + ["--store", held.folder + "/store"])
    }

    private func object(_ held: PreviewedStore) async throws -> [String: any Sendable] {
        try #require(try jsonLines(try await run(held, "status", "--json").output).first)
    }

    @Test func countsRetriesAndClears() async throws {
        let held = try await PreviewedStore()
        let none = try await run(held, "status")
        #expect(none.isSuccess && none.output.hasPrefix("There are no previews yet"), "\(none)")

        let previews = held.store.previews
        let file = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        let keys = [RenditionKey(file.digest, .thumbnail), RenditionKey(file.digest, .page)]
        _ = try await previews.enqueue(keys.map { PreviewOrder($0, size: file.size, .listed) }, at: .now)
        var failure = PreviewResult(recipe: 1)
        failure.failure = .noTool
        let job = try #require(try await previews.take(PreviewJobFilter(leastUrgent: .rescan), at: .now))
        try await previews.finish(job, with: failure, then: [], at: .now)

        let table = try await run(held, "status")
        #expect(table.output.contains("no_tool") && table.output.contains("waiting"), "\(table)")
        let counts = try await object(held)
        #expect((counts["failed"] as? [String: Int])?["no_tool"] == 1, "\(counts)")
        #expect((counts["waiting"] as? [String: Int])?["listed"] == 1, "\(counts)")

        let other = try await run(held, "retry", "--reason", "damaged")
        #expect(other.isSuccess && other.output == "Nothing failed for this reason.\n", "\(other)")
        let retried = try await run(held, "retry", "--reason", "no_tool")
        #expect(retried.isSuccess && retried.output.hasPrefix("1 that failed will be tried again"), "\(retried)")
        let after = try await object(held)
        #expect((after["failed"] as? [String: Int])?["no_tool"] == 0, "\(after)")

        let cleared = try await run(held, "clear")
        #expect(cleared.isSuccess && cleared.output.hasPrefix("Removed all previews; 0 B"), "\(cleared)")
        let wrong = try await run(held, "retry", "--reason", "no_tol")
        #expect(wrong.status == 64 && wrong.errors.contains("Did you mean no_tool?"), "\(wrong)")
    }
}
