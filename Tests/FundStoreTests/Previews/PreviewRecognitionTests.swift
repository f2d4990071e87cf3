import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Pages that are recognised anew.
@Suite struct PreviewRecognitionTests {
    private static let now = Timestamp(1_000_000)

    private func order(_ key: RenditionKey, recipe: Int? = nil) -> PreviewOrder {
        var order = PreviewOrder(key, size: 10, .recognition)
        order.recipe = recipe
        return order
    }

    private func page(_ number: Int) -> RenditionKey { RenditionKey(.of([1]), .recognised, page: number) }

    private func take(_ store: SQLPreviewStore) async throws -> PreviewJob? {
        try await store.take(PreviewJobFilter(leastUrgent: .rescan), at: Self.now)
    }

    private func finish(
        _ key: RenditionKey, _ store: SQLPreviewStore, recipe: Int, failure: RenditionFailure? = nil
    ) async throws {
        _ = try await store.enqueue([order(key, recipe: recipe)], at: Self.now)
        let job = try #require(try await take(store))
        var result = PreviewResult(recipe: recipe)
        result.failure = failure
        if failure == nil {
            let bytes = Array("words".utf8)
            result.made = [PreviewContent(Rendition(key, digest: .of(bytes), size: bytes.count), bytes: bytes)]
        }
        try await store.finish(job, with: result, then: [], at: Self.now)
    }

    @Test func whatWasMadeByAnotherRecipeIsOrdered() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        try await finish(page(1), store, recipe: 7)
        try await finish(page(2), store, recipe: 7, failure: .noTool)
        #expect(try await store.enqueue([order(page(1), recipe: 7), order(page(2), recipe: 7)], at: Self.now) == 2)
        #expect(try await take(store) == nil)
        #expect(try await store.enqueue([order(page(1), recipe: 8), order(page(3), recipe: 7)], at: Self.now) == 2)
        let job = try #require(try await take(store))
        #expect(job.order.key == page(1))
        // The old words are there until then.
        guard case .ready = try await store.state(of: page(1)) else {
            Issue.record("they are gone")
            return
        }
        // Orders that follow from a piece of work are treated likewise.
        let follows = [order(page(1), recipe: 7), order(page(2), recipe: 8)]
        try await store.finish(job, with: PreviewResult(recipe: 1), then: follows, at: Self.now)
        #expect(try await take(store)?.order.key == page(3))
        #expect(try await take(store)?.order.key == page(2))
        #expect(try await take(store) == nil)
    }

    /// A language that is not installed, for example, takes no words out of the search.
    @Test func wordsStayWhereAnotherRecipeFails() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        try await finish(page(1), store, recipe: 7)
        try await store.setRecognitionPlan(5)
        try await finish(page(1), store, recipe: 8, failure: .noTool)
        guard case .ready(let words) = try await store.state(of: page(1)) else {
            Issue.record("they are gone")
            return
        }
        #expect(try await store.bytes(of: words) == Array("words".utf8))
        // With the language there, the page is ordered again.
        #expect(try await store.forgetFailures([.crashed]) == 0)
        #expect(try await store.recognitionPlan() == 5)
        _ = try await store.forgetFailures([.noTool])
        #expect(try await store.recognitionPlan() == nil)
        #expect(try await store.enqueue([order(page(1), recipe: 8)], at: Self.now) == 1)
        #expect(try await take(store)?.order.key == page(1))
    }

    @Test func thePlanIsForgottenWithFailures() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.previews
        #expect(try await store.recognitionPlan() == nil)
        try await store.setRecognitionPlan(5)
        #expect(try await store.recognitionPlan() == 5)
        try await finish(RenditionKey(.of([1]), .thumbnail), store, recipe: 1, failure: .noTool)
        _ = try await store.forgetFailures([.noTool])
        #expect(try await store.recognitionPlan() == 5)
        try await finish(page(1), store, recipe: 1, failure: .noTool)
        // The recipes of other kinds are no measure.
        try await store.forgetFailures(before: 2)
        #expect(try await store.state(of: page(1)) == .failed(.noTool))
        _ = try await store.forgetFailures([.noTool])
        #expect(try await store.recognitionPlan() == nil)
        try await store.setRecognitionPlan(5)
        _ = try await store.enqueue([1, 2, 3].map { order(page($0)) }, at: Self.now)
        try await store.limitRecognition(toPages: 2)
        #expect(try await store.status().waiting == [.recognition: 2])
        #expect(try await store.recognitionPlan() == 5)
        try await store.limitRecognition(toPages: nil)
        #expect(try await store.status().waiting.isEmpty)
        #expect(try await store.recognitionPlan() == nil)
    }

    @Test func filesAreFoundInSteps() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store.previews
        var expected: [ContentDigest] = []
        for (number, type) in [TrueType.pdf, .jpeg, .docx, .tiff, .mp3].enumerated() {
            let file = try await harness.put("f\(number)", "text \(number)")
            let key = RenditionKey(file.digest, .thumbnail)
            _ = try await store.enqueue([order(key)], at: Self.now)
            let job = try #require(try await take(store))
            var result = PreviewResult(recipe: 1)
            (result.info, result.failure) = (FileInfo(type), .damaged)
            try await store.finish(job, with: result, then: [], at: Self.now)
            if [.pdf, .jpeg, .tiff].contains(type) { expected.append(file.digest) }
        }
        // The content of the page is gone.
        try await finish(page(1), store, recipe: 1)
        var (found, last): ([ContentDigest], ContentDigest?) = ([], nil)
        while true {
            let part = try await store.recognisable(after: last, limit: 2)
            guard let end = part.last else { break }
            found += part.files.map(\.file.digest)
            #expect(part.files.allSatisfy { $0.file.size == 6 })
            last = end
        }
        #expect(Set(found) == Set(expected) && found.count == 3)
    }
}
