import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The emails beside the names of a list.
@Suite struct PlaceRowTests {
    private func rows(
        _ harness: LibraryHarness, _ page: PageQuery = PageQuery(), in place: LibraryPlace? = nil
    ) async throws -> [String: PlaceRow] {
        let found = try await harness.store.library.rows(
            of: place ?? harness.top, by: ItemOrder(), page, of: harness.ann)
        return Dictionary(
            uniqueKeysWithValues: found.items.map { row in
                switch row.item {
                case .fund(let fund): (fund.name, row)
                case .folder(let folder): (folder.name, row)
                case .file(let file): (file.name, row)
                }
            })
    }

    @Test func namesTheMail() async throws {
        let harness = try await LibraryHarness()
        let part = StoreHarness.Part(name: "came.pdf", bytes: [1])
        let email = try #require(try await harness.base.file("Subject: 1\n\n1", parts: [part]).emailID)
        try await harness.put("upload.txt")
        _ = try await harness.folder("folder")
        var found = try await rows(harness)
        #expect(found["came.pdf"]?.email?.id == email && found["came.pdf"]?.email?.from == "ann@example.com")
        #expect(found["came.pdf"]?.email?.subject?.hasPrefix("[Fund1] Subject: 1") == true)
        #expect(found["upload.txt"]?.email == nil && found["folder"]?.email == nil)
        try await harness.store.library.deleteEmail(email, of: harness.ann)
        found = try await rows(harness)
        #expect(found["came.pdf"]?.email == nil)
        // The pages are those of the plain list.
        let page = PageQuery(limit: 2)
        let (library, ann) = (harness.store.library, harness.ann)
        let plain = try await library.children(of: harness.top, by: ItemOrder(), page, of: ann)
        let listed = try await library.rows(of: harness.top, by: ItemOrder(), page, of: ann)
        #expect(listed.items.map(\.item) == plain.items && listed.next == plain.next)
        let foreign = LibraryPlace(fund: harness.bobsFund.id)
        #expect(await failure { _ = try await rows(harness, in: foreign) } == .notFound)
    }
}
