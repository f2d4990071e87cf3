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
            // the form of RFC 2231 without its asterisk, and with quotes that do not belong there
            ("attachment; filename=UTF-8''%C3%9Cbersicht%20Q3.pdf", "Übersicht Q3.pdf", []),
            ("attachment; filename=utf-8''plain.pdf", "plain.pdf", []),
            ("attachment; filename=\"iso-8859-1'de'gr%FCn.pdf\"", "grün.pdf", []),
            ("attachment; filename*=UTF-8''\"a%20b.pdf\"", "a b.pdf", []),
            ("attachment; filename*=\"utf-8''a%20b.pdf\"", "a b.pdf", []),
            // names as they stand
            ("attachment; filename=\"arabic'and'greek.pdf\"", "arabic'and'greek.pdf", []),
            ("attachment; filename=\"it's 5%20 o'clock.pdf\"", "it's 5%20 o'clock.pdf", []),
            // ISO-2022-JP in which a quote and a semicolon are halves of characters
            ("attachment; filename=\"\u{1B}$BF|!\"K\\;q\u{1B}(B.pdf\"", "日、本資.pdf", []),
            // the whole field as encoded words
            ("=?utf-8?q?attachment=3B_filename=3D=22=C3=9C=3B1.pdf=22?=", "Ü;1.pdf", [.encodedWordInParameter]),
            ("=?us-ascii?q?attachment?=; filename=a.pdf", "a.pdf", [.encodedWordInParameter]),
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
