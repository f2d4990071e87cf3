import TestSupport
import Testing

@testable import FundServer

/// Files in a form, as browsers without scripts send them.
struct FormUploadTests {
    private typealias Shelf = PageListTests.Shelf

    private static func part(_ name: String, _ content: String = "text") -> String {
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n\(content)\r\n"
    }

    /// - Parameter end: behind the last part.
    private static func send(
        _ parts: [String], to shelf: Shelf, end: String = "--b--\r\n"
    ) async throws -> RawHTTPResponse {
        let token = "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n\(shelf.session.formToken)\r\n"
        return try await shelf.harness.send(
            "POST", "/library/funds/\(shelf.fund)/upload",
            fields: [
                "Cookie": shelf.session.cookie, "Sec-Fetch-Site": "same-origin",
                "Content-Type": "multipart/form-data; boundary=b",
            ], body: Array((token + parts.joined() + end).utf8))
    }

    /// Files that came in before there were too many parts are kept, and the page says so.
    @Test
    func takesOnlySoManyParts() async throws {
        let shelf = try await Shelf("Form")
        let none = [String](repeating: Self.part("", ""), count: PageUpload.maxParts - 1)
        #expect(try await Self.send(none + [Self.part("a")], to: shelf).status == 303)
        let answer = try await Self.send([Self.part("b")] + none + [Self.part("c")], to: shelf)
        #expect(answer.status == 413 && answer.text.contains("Uploaded: 1 file. One form takes no more than 1000"))
        #expect(try await shelf.names() == ["a", "b"])
        try await shelf.harness.stop()
    }

    /// A file that can be kept is kept, whatever stands before and behind it.
    @Test
    func keepsTheFilesWhoseNamesAreGood() async throws {
        let shelf = try await Shelf("Form")
        let names = ["one.txt", "evil\u{202E}fdp.exe", "\u{301}two.txt", String(repeating: "x", count: 5000)]
        let answer = try await Self.send(names.map { Self.part($0) }, to: shelf)
        #expect(answer.status == 400)
        #expect(answer.text.contains("Uploaded: 2 files. Not uploaded: 2 files."))
        #expect(answer.text.contains("<li><bdi>evil\u{202E}fdp.exe</bdi>"))
        #expect(Set(try await shelf.names()) == ["one.txt", "\u{301}two.txt"])
        try await shelf.harness.stop()
    }

    /// A form that ends early: what came before stays, and the page does not say that nothing was changed.
    @Test
    func saysWhatWasKeptOfABrokenForm() async throws {
        let shelf = try await Shelf("Form")
        let answer = try await Self.send([Self.part("one.txt"), Self.part("two.txt")], to: shelf, end: "--b")
        #expect(answer.status == 400 && answer.text.contains("Done before that: 1 item. The rest was not."))
        #expect(!answer.text.contains(Words(language: .en)("error.kept")))
        #expect(try await shelf.names() == ["one.txt"])
        let nothing = try await Self.send([], to: shelf, end: "--b")
        #expect(nothing.status == 400 && nothing.text.contains("Nothing was changed."))
        try await shelf.harness.stop()
    }
}
