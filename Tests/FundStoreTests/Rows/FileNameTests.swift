import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct FileNameTests {
    @Test func numbersRunOn() async throws {
        let harness = try await StoreHarness()
        let names = ["Report.pdf", "report.pdf", "REPORT.PDF", "report(2).pdf", "r\u{E9}.txt", "re\u{301}.txt"]
        let parts = names.map { StoreHarness.Part(name: $0, bytes: [1]) }
        try await harness.file("a: b\n\nc", parts: parts)
        #expect(
            try harness.fileNames() == [
                "Report.pdf", "report(1).pdf", "REPORT(2).PDF", "report(2)(1).pdf", "r\u{E9}.txt", "re\u{301}(1).txt",
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

    @Test(arguments: [("a.b.c", "a.b", ".c"), (".htaccess", ".htaccess", ""), ("none", "none", "")])
    func splits(_ name: String, _ stem: String, _ suffix: String) {
        #expect(FileName.split(name) == (stem, suffix))
    }
}
