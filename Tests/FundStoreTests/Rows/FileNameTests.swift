import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct FileNameTests {
    @Test(
        arguments: [
            ("a.pdf", "a.pdf", true), ("A.PDF", "a.pdf", true), ("a(2).pdf", "a.pdf", true),
            ("a(13).pdf", "a(12).pdf", true), ("a(12)(1).pdf", "a(12).pdf", true), ("a(2).txt", "a.pdf", false),
            ("ab.pdf", "a.pdf", false), ("a(2025).pdf", "a.pdf", false), ("b(2).pdf", "a.pdf", false),
        ])
    func knowsNumbered(_ name: String, _ original: String, _ isNumbered: Bool) {
        #expect(LibraryName.isNumbered(name, of: original) == isNumbered)
        if isNumbered { #expect(LibraryName.numberedKey(of: name) == LibraryName.numberedKey(of: original)) }
    }

    @Test func knowsNumberedThatWereCut() throws {
        let original = LibraryName.cleaned(String(repeating: "债券", count: 90) + ".pdf")
        let first = try LibraryName.free(original) { $0 == FileName.key(original) }
        #expect(first != original && first.utf8.count <= LibraryName.maxBytes)
        #expect(LibraryName.isNumbered(first, of: original))
        #expect(LibraryName.numberedKey(of: first) == LibraryName.numberedKey(of: original))
        #expect(LibraryName.numberedKey(of: "a.pdf") != LibraryName.numberedKey(of: "b.pdf"))
    }

    @Test func numbersRunOn() async throws {
        let harness = try await StoreHarness()
        let names = ["Report.pdf", "report.pdf", "REPORT.PDF", "report(2).pdf", "r\u{E9}.txt", "re\u{301}.txt"]
        let parts = names.map { StoreHarness.Part(name: $0, bytes: [1]) }
        try await harness.file("a: b\n\nc", parts: parts)
        #expect(
            try harness.fileNames() == [
                "Report.pdf", "report(1).pdf", "REPORT(2).PDF", "report(3).pdf", "r\u{E9}.txt", "re\u{301}(1).txt",
            ])
    }

    @Test func tenThousandOfOneName() throws {
        var taken: Set<String> = []
        var questions = 0
        for index in 0..<10_000 {
            let name = FileName.free("report.pdf") { key in
                questions += 1
                return taken.contains(key)
            }
            #expect(name == (index == 0 ? "report.pdf" : "report(\(index)).pdf"))
            taken.insert(FileName.key(name))
        }
        #expect(questions < 10_000 * 32)
    }

    /// A name that is numbered already goes on from its number; a year is no number.
    @Test(arguments: [
        (["x(1).pptx"], "x(1).pptx", "x(2).pptx"), (["x(1).pptx", "x(2).pptx"], "x(1).pptx", "x(3).pptx"),
        (["x(8)", "x(9)"], "X(9)", "X(10)"), (["x.a", "x(999).a"], "x(999).a", "x(1000).a"),
        (["Invoice(12).pdf"], "Invoice(12).pdf", "Invoice(12)(1).pdf"),
        (["Accounts(2025).pdf"], "Accounts(2025).pdf", "Accounts(2025)(1).pdf"), (["x(0)"], "x(0)", "x(0)(1)"),
        (["(1).pdf"], "(1).pdf", "(1)(1).pdf"), (["x (1).pdf"], "x (1).pdf", "x (2).pdf"), (["x()"], "x()", "x()(1)"),
        (["x(1)(1).a"], "x(1)(1).a", "x(1)(2).a"), (["x(1).pptx"], "y(1).pptx", "y(1).pptx"),
    ])
    func goesOnFromANumber(_ taken: [String], _ name: String, _ free: String) {
        let keys = Set(taken.map(FileName.key))
        #expect(FileName.free(name) { keys.contains($0) } == free)
    }
}
