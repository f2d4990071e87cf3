import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct MIMEFieldTests {
    @Test(
        arguments: [
            ("attachment; filename=my report.pdf", "my report.pdf", []),
            ("attachment; filename=\"a;b.pdf\"", "a;b.pdf", []),
            ("attachment; filename=\"C:\\dir\\x.pdf\"", "C:\\dir\\x.pdf", []),
            ("attachment; filename*0=\"ab\"; filename*1=c.pdf", "abc.pdf", []),
            ("attachment; filename*0*=utf-8''%E5%9F; filename*1*=%BA.pdf", "基.pdf", []),
            ("attachment; filename*0=a; filename*2=c", "a", [.parameterGap]),
            ("attachment; filename*=utf-8''a%00.exe", "a.exe", [.unsafeFileName]),
            ("attachment; filename=a.pdf; filename*=utf-8''b.pdf", "b.pdf", [.conflictingParameter]),
            ("attachment; filename=a; filename=b", "a", [.conflictingParameter]),
            ("attachment; filename=\"=?utf-8?B?5Z+6LnBkZg==?=\"", "基.pdf", [.encodedWordInParameter]),
            ("attachment; filename==?utf-8?B?5Z+6LnBkZg==?=", "基.pdf", [.encodedWordInParameter]),
            ("attachment; filename=\"open.pdf", "open.pdf", []),
            ("attachment (c); filename=report (1).pdf", "report (1).pdf", []),
            ("attachment filename=x.pdf size=3", "x.pdf", []),
        ] as [(String, String, Set<Defect>)])
    func readsFileName(_ raw: String, _ name: String, _ defects: Set<Defect>) {
        let field = MIMEField(Array(raw.utf8), charsets: CharsetDecoder())
        #expect(field.value == "attachment")
        #expect(field.parameters["filename"] == name)
        #expect(field.defects == defects)
    }

    @Test(arguments: [
        "TEXT/Plain; charset=UTF-8", "text/plain charset=\"UTF-8\"", "text / plain (c) ; (d) charset = UTF-8 (e)",
    ])
    func readsContentType(_ raw: String) {
        let field = MIMEField(Array(raw.utf8), charsets: CharsetDecoder())
        #expect(field.value == "text/plain")
        #expect(field.parameters["charset"] == "UTF-8")
    }
}
