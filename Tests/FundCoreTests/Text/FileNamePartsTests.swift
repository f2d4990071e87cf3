import FundCore
import Testing

struct FileNamePartsTests {
    @Test(arguments: [
        ("report.pdf", "report", ".pdf"), ("a.tar.gz", "a.tar", ".gz"), ("notes", "notes", ""),
        (".profile", ".profile", ""), ("x.", "x.", ""), ("x..", "x..", ""), ("王伟.DOCX", "王伟", ".DOCX"),
        ("", "", ""), (".", ".", ""), ("e\u{301}.\u{301}txt", "e\u{301}.\u{301}txt", ""), (".a.b", ".a", ".b"),
    ])
    func splits(name: String, stem: String, suffix: String) {
        let parts = FileNameParts(name)
        #expect(parts.stem == stem && parts.suffix == suffix)
        #expect((parts.stem + parts.suffix).utf8.elementsEqual(name.utf8))
    }

    @Test func leavesALongSuffixInTheStem() {
        #expect(FileNameParts("a.averylongending", maxSuffixBytes: 8).stem == "a.averylongending")
        #expect(FileNameParts("a.1234567", maxSuffixBytes: 8).suffix == ".1234567")
        #expect(FileNameParts("a.王伟了", maxSuffixBytes: 8).suffix == "")
    }

    @Test func knowsTheExtension() {
        #expect(FileNameParts("Report.PDF").fileExtension == "pdf")
        #expect(FileNameParts("Report").fileExtension == "")
        #expect(FileNameParts(".pdf").fileExtension == "")
    }
}
