import FundCore
import TestSupport
import Testing

@testable import MailParse

@Suite struct HTMLCharsetTests {
    @Test(
        arguments: [
            ("<meta charset=iso-8859-2>", "iso-8859-2"), ("<META CharSet = 'koi8-r' />", "koi8-r"),
            ("<html><head><meta name=x content=y><meta charset=\"big5\">", "big5"),
            ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1250\">", "windows-1250"),
            ("<meta content='text/html;charset = \"euc-kr\"' http-equiv=content-type>", "euc-kr"),
            ("<meta/charset=gb2312/>", nil), ("<meta/charset=\"gb2312\"/>", "gb2312"),
            ("<!-- <meta charset=koi8-r> --><meta charset=koi8-u>", "koi8-u"), ("<!--><meta charset=koi8-u>", "koi8-u"),
            ("<?xml version='1.0' encoding='iso-8859-5'?><html>", "iso-8859-5"),
            ("<?xml version='1.0'?><meta charset=iso-8859-5>", "iso-8859-5"),
            ("<p title=\"<meta charset=koi8-r>\"><meta charset=koi8-u>", "koi8-u"),
            ("<meta charset=iso-2022-jp>", "iso-2022-jp"), ("<meta charset=hz-gb-2312>", "hz-gb-2312"),
            // browsers read these as UTF-8
            ("<meta charset=utf-16>", "utf-8"), ("<meta charset=utf-16le>", "utf-8"),
            // none
            ("<meta content=\"text/html; charset=koi8-r\">", nil), ("<metax charset=koi8-r>", nil),
            ("<meta charset=utf-7>", nil), ("<meta charset=nonsense>", nil), ("<meta charset=\"koi8-r>", nil),
            ("<!-- <meta charset=koi8-r>", nil), ("meta charset=koi8-r", nil), ("", nil), ("<", nil), ("<meta", nil),
            ("<meta http-equiv=content-type content='charset'>", nil),
            (String(repeating: " ", count: 4096) + "<meta charset=koi8-r>", nil),
        ] as [(String, String?)])
    func finds(_ html: String, _ name: String?) {
        #expect(HTMLCharset.declared(in: Array(html.utf8)) == name.flatMap { Charset(name: $0.utf8) })
    }

    @Test(
        arguments: [
            (nil, "iso-8859-2", "ISO-8859-2", "šéf"), ("us-ascii", "windows-1251", "CP1251", "Отчёт"),
            ("nonsense", "koi8-r", "KOI8-R", "Отчёт"), ("", "shift_jis", "CP932", "報告"),
            // what the mail says counts more
            ("iso-8859-2", "koi8-r", "ISO-8859-2", "šéf"),
            // and the bytes more than a `meta` that a server left as it was
            (nil, "iso-8859-1", "UTF-8", "šéf"), (nil, "utf-8", "CP1252", "Zürich"),
        ] as [(String?, String, String, String)])
    func isUsed(_ declared: String?, _ named: String, _ converter: String, _ text: String) {
        let charsets = CharsetDecoder()
        let html = "<meta charset=\(named)><p>\(text)</p>"
        #expect(charsets.decodeHTML(charsets.encode(html, as: converter), charset: declared).text == html)
    }

    /// No beginning of a text traps.
    @Test func everyBeginningIsRead() {
        let html = Array(
            "<?xml encoding='a'?><!-- x --><p a='b' c=\"d\" e=f><meta http-equiv=content-type content='charset=\"x\"'>"
                .utf8)
        for count in 0...html.count { _ = HTMLCharset.declared(in: Array(html.prefix(count))) }
        var generator = SeededGenerator(seed: 35)
        let alphabet = Array("<>!?-/='\"metacharset ".utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<24).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = HTMLCharset.declared(in: Array("<meta ".utf8) + bytes)
        }
    }
}
