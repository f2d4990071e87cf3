import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// A text that a page shows has the character set that it is written in; one that is saved stays as it was sent.
struct ShownTextTests {
    @Test(arguments: [
        ("Anwesend: Jörg, 王芳", "text/plain; charset=utf-8"), ("", "text/plain; charset=utf-8"),
        // The character that the first 64 KB end in is cut.
        (String(repeating: "王", count: 40_000), "text/plain; charset=utf-8"),
    ])
    func saysUTF8(_ text: String, _ type: String) async throws {
        #expect(try await Self.types(Array(text.utf8)) == [type, "text/plain"])
    }

    @Test
    func guessesNothingElse() async throws {
        // "Jörg" in windows-1252.
        #expect(try await Self.types([0x4A, 0xF6, 0x72, 0x67]) == ["text/plain", "text/plain"])
    }

    /// `Content-Type` of the same file, shown and saved.
    private static func types(_ bytes: [UInt8]) async throws -> [String?] {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let uploaded = try await harness.send(
            "POST", "/library/funds/\(harness.people.fund.id)/upload?name=minutes.txt",
            fields: [
                "Cookie": session.cookie, "X-Form-Token": session.formToken, "Content-Type": "text/plain",
                "Sec-Fetch-Site": "same-origin",
            ], body: bytes)
        #expect(uploaded.status == 201)
        let page = PageQuery(limit: 500, cursor: nil)
        let files = try await harness.store.library.children(
            of: LibraryPlace(fund: harness.people.fund.id, folder: nil), by: ItemOrder(), page,
            of: harness.people.ann.id)
        let file = try #require(
            files.items.compactMap { item in if case .file(let file) = item { file } else { nil } }
                .first { $0.name == "minutes.txt" })
        let path = "/library/files/\(file.id)/content"
        let types = [
            try await session.get(path + "?inline=true", harness)["content-type"],
            try await session.get(path, harness)["content-type"],
        ]
        try await harness.stop()
        return types
    }
}
