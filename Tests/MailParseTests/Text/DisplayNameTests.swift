import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct DisplayNameTests {
    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("..\\..\\x", "x"), ("/abs", "abs"), ("C:\\dir\\x.pdf", "x.pdf"),
        ("Q1/Q2.pdf", "Q1_Q2.pdf"), ("a\u{202E}fdp.exe", "afdp.exe"), ("z\u{200B}w.pdf", "zw.pdf"), ("CON", "_CON"),
        ("nul.txt", "_nul.txt"), ("x.pdf .", "x.pdf"), (".htaccess", "htaccess"), ("a\u{0}b", "ab"),
        ("..", "part-2.pdf"),
        ("a:b*c?.pdf", "a_b_c_.pdf"),
    ])
    func unsafeNamesAreChanged(_ sent: String, _ expected: String) {
        let made = DisplayName.make(sentName: sent, contentType: "application/pdf", fallbackStem: "part-2")
        #expect(made.name == expected)
        #expect(made.defects == [.unsafeFileName])
    }

    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("基金.pdf", "基金.pdf"), ("e\u{301}.pdf", "\u{E9}.pdf"), ("", "part-2.pdf"),
    ])
    func safeNamesStay(_ sent: String, _ expected: String) {
        let made = DisplayName.make(sentName: sent, contentType: "application/pdf", fallbackStem: "part-2")
        #expect(Array(made.name.utf8) == Array(expected.utf8))
        #expect(made.defects.isEmpty)
    }

    @Test(arguments: [0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x10FFFF] as [UInt32])
    func whatXMLCannotCarryGoes(_ value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        let made = DisplayName.make(sentName: "a\(scalar)b.pdf", contentType: "application/pdf", fallbackStem: "p")
        #expect(made.name == "ab.pdf")
    }

    @Test func longNamesKeepTheirExtension() {
        let made = DisplayName.make(
            sentName: String(repeating: "基", count: 2000) + ".pdf", contentType: "x/y", fallbackStem: "p")
        #expect(made.name.utf8.count <= 200 && made.name.hasSuffix("基.pdf"))
    }
}
