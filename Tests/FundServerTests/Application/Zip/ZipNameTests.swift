import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Names in zip files, which other programs make paths of.
struct ZipNameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("", "_"), (".", "_"), ("..", "._"), ("...", ".._"),
        ("../../etc/passwd", ".._.._etc_passwd"),
        ("/etc/passwd", "_etc_passwd"), ("C:\\x", "C__x"), ("a\u{0}b\n", "a_b_"), ("x.", "x_"), ("x ", "x_"),
        ("con", "_con"), ("COM1.txt", "_COM1.txt"), ("a?*\"<>|b", "a______b"), ("gpj\u{202E}cod.exe", "gpj_cod.exe"),
        ("/\u{301}", "_\u{301}"), ("報告.pdf", "報告.pdf"), (".hidden", ".hidden"),
    ])
    func areSafe(_ name: String, _ expected: String) { #expect(ZipNames.safe(name) == expected) }

    @Test func areUniqueInTheirFolder() {
        var names = ZipNames()
        #expect(names.unique("a.pdf", in: nil) == "a.pdf")
        #expect(names.unique("A.PDF", in: nil) == "A (1).PDF")
        #expect(names.unique("a.pdf", in: 1) == "a.pdf")
        #expect(names.unique("a (1).pdf", in: nil) == "a (1) (1).pdf")
        #expect(names.unique("a.pdf", in: nil) == "a (2).pdf")
        #expect(names.unique(".x", in: nil) == ".x" && names.unique(".x", in: nil) == ".x (1)")
        let long = String(repeating: "é", count: 127) + "x"
        #expect(names.unique(long, in: nil) == long)
        let numbered = names.unique(long, in: nil)
        #expect(numbered.utf8.count <= 255 && numbered.hasSuffix(" (1)"))
    }

    /// Ten thousand mails of one subject on one day.
    @Test func numbersManyQuickly() {
        var names = ZipNames()
        let all = (0..<10_000).map { _ in names.unique("2026-11-22 News.eml", in: 0) }
        #expect(Set(all).count == 10_000 && all.last == "2026-11-22 News (9999).eml")
    }

    @Test(arguments: [
        ("[Fund1] News", "2023-11-14 [Fund1] News.eml"), ("", "2023-11-14 (no subject).eml"),
        ("  a \r\n b: c/d \u{202E}", "2023-11-14 a b_ c_d.eml"), ("..", "2023-11-14 _.eml"),
    ])
    func nameEmails(_ subject: String, _ expected: String) {
        #expect(ZipNames.email(subject: subject, receivedAt: 1_700_000_000, suffix: ".eml") == expected)
    }
}
