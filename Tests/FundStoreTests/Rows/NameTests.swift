import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct NameTests {
    @Test(arguments: [
        "", ".", "..", "a/b", "/", "a\0b", "a\nb", "a\u{7F}", "a\u{9B}b", "a\u{202E}fdp.exe", "a\u{2066}b",
        "a\u{2028}b", "\u{200B}", "\u{2060}\u{FEFF}", "\u{FE0F}\u{E0100}", "\u{E0041}", " \u{3000} ", "\u{3164}",
        "\u{2800}\u{200D}",
        String(repeating: "x", count: 256), String(repeating: "\u{7530}", count: 86),
        "a" + String(repeating: "\u{301}", count: 200),
    ])
    func refusesWhatIsNoName(_ name: String) async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("file")
        #expect(await failure { try await harness.put(name) } == .invalid)
        #expect(await failure { _ = try await harness.folder(name) } == .invalid)
        #expect(await failure { try await harness.move(.file(file.id), to: harness.top, named: name) } == .invalid)
        #expect(await failure { try await harness.copy(.file(file.id), to: harness.top, named: name) } == .invalid)
        #expect(try await harness.names() == ["file"])
        #expect(try await harness.leavesNothing())
    }

    @Test(arguments: [
        "...", ".htaccess", "a b ", "CON", "\u{200B}a\u{200B}",
        "a\\b", "a:b*?\"<>|", "%2e%2e", "\u{645}\u{644}\u{641}\u{200F}.pdf",
        "\u{5E74}\u{5EA6}.pdf", "\u{1F4C8}.png", String(repeating: "x", count: 255), "Robert'); DROP TABLE file;--",
    ])
    func takesWhatIsOne(_ name: String) async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put(name)
        #expect(file.name == name)
        #expect(try await harness.store.library.item(at: ["Fund1", name], of: harness.ann)?.itemID == .file(file.id))
        #expect(try await harness.put(name, "again", ifTaken: .number).name.utf8.count <= 255)
    }

    @Test(arguments: [
        ("caf\u{E9}", "cafe\u{301}"), ("A.TXT", "a.txt"), ("\u{C4}", "a\u{308}"), ("\u{41F}\u{420}", "\u{43F}\u{440}"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("Stra\u{DF}e", "STRASSE"), ("stra\u{DF}e", "STRA\u{1E9E}E"),
        ("\u{3C3}", "\u{3C2}"),
    ])
    func twinsAreOneName(_ first: String, _ second: String) async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put(first)
        #expect(await failure { _ = try await harness.folder(second) } == .alreadyExists)
        #expect(await failure { try await harness.put(second, ifTaken: .refuse) } == .alreadyExists)
        #expect(try await harness.put(second, ifTaken: .replace).id == file.id)
        #expect(try await harness.id(second) == .file(file.id))
        // Kept as NFC, whatever came.
        let renamed = try await harness.move(.file(file.id), to: harness.top, named: second)
        let name = renamed.name
        let expected = try LibraryName.checked(second, "")
        #expect(Array(name.utf8) == Array(expected.utf8))
        #expect(try await harness.names().count == 1)
    }

    /// Checked before the write lock is taken: 160 KB held it for eight seconds.
    @Test func longNamesCostLittle() {
        let name = marks(500_000)
        #expect(
            processorTime { #expect(throws: StoreError.self) { try LibraryName.checked(name, "") } }
                < .milliseconds(500))
        #expect(
            processorTime { #expect(throws: StoreError.self) { try LibraryName.checkedFund(name, "") } }
                < .milliseconds(500))
        #expect(processorTime { _ = FileName.key(name) } < .seconds(3))
    }

    /// Turkish has both.
    @Test func dotlessIsAnotherLetter() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("k\u{131}z")
        try await harness.put("kiz", ifTaken: .refuse)
        #expect(try await harness.names().count == 2)
    }

    @Test(arguments: [
        (String(repeating: "\u{7530}", count: 86), true), ("x" + String(repeating: "\u{301}", count: 200), true),
        ("a/b", true), (".", true), ("..", true), ("[a]", true), ("", true), ("Fund 2", false), ("f1", true),
    ])
    func namesOfFunds(_ name: String, _ isRefused: Bool) async throws {
        let harness = try await LibraryHarness()
        let kind = await failure { _ = try await harness.store.library.addFund(name, of: harness.ann) }
        #expect((kind != nil) == isRefused)
        #expect(kind == nil || kind == (name == "f1" ? .alreadyExists : .invalid))
    }
}
