import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct EncodedTextTests {
    @Test(arguments: [
        ("=?utf-8?B?W0FscGhhIEZ1bmQ=?= =?utf-8?B?XSBOQVYgcmVwb3J0?=", "[Alpha Fund] NAV report"),
        // A character cut in two, in base64 and in Q.
        ("=?utf-8?B?5Z8=?= =?utf-8?B?ug==?=", "基"), ("=?UTF-8?Q?=E5=9F?=  =?utf-8?q?=BA_x?=", "基 x"),
        ("=?gb2312?B?u/m98A==?= a", "基金 a"), ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
        ("=?iso-8859-1*en?Q?caf=E9?=", "café"), ("a=?utf-8?Q?b?=c", "abc"), ("=?utf-8?Q?a b?= c", "a b c"),
        ("=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?=", "aé"), ("=?utf-8?B?W0Fsc?= =?utf-8?B?GhhXQ==?=", "[Alpha]"),
        ("plain [Fund1] x", "plain [Fund1] x"), ("=?utf-8?Q?a=0Ab=00c?=", "a bc"),
    ])
    func decodes(_ raw: String, _ expected: String) {
        let decoded = EncodedText.unstructured(Array(raw.utf8), charsets: CharsetDecoder())
        #expect(decoded == DecodedText(expected))
    }

    @Test(arguments: ["=?utf-8?B?***?= x", "=?utf-8?X?a?=", "=?utf-8?Q?never", "=??Q?a?="])
    func malformedWordsStandAsTheyCame(_ raw: String) {
        let decoded = EncodedText.unstructured(Array(raw.utf8), charsets: CharsetDecoder())
        #expect(decoded == DecodedText(raw, [.undecodableEncodedWord]))
    }

    @Test(arguments: [
        ("[基金一] 季度报告", "GB18030"), ("[基金一] 季度報告，請查收附件", "BIG5"), ("ファンドの報告書について", "SHIFT_JIS"),
        ("ファンドの報告書について", "EUC-JP"), ("펀드 분기 보고서입니다", "EUC-KR"), ("Zürich für Anträge", "CP1252"),
        ("Отчёт фонда за квартал", "CP1251"), ("Отчет фонда за квартал", "KOI8-R"),
    ])
    func raw8BitTextIsGuessed(_ text: String, _ charset: String) {
        let charsets = CharsetDecoder()
        let decoded = EncodedText.unstructured(charsets.encode(text, as: charset), charsets: charsets)
        #expect(decoded == DecodedText(text, [.raw8BitHeader]))
    }

    @Test func rawUTF8IsNoDefect() {
        #expect(EncodedText.unstructured(Array("基金".utf8), charsets: CharsetDecoder()) == DecodedText("基金"))
    }

    /// Names of the registry that are no usual ones.
    @Test(arguments: [
        ("csISOLatin1", "=E9", "é"), ("IBM819", "=E9", "é"), ("hebrew", "=F9", "ש"), ("ISO_8859-8:1988", "=F9", "ש"),
        ("csISOLatinCyrillic", "=B6", "Ж"), ("greek8", "=E1", "α"), ("latin6", "=E6", "æ"), ("EUC-TW", "=C4=E3", "中"),
        ("Extended_UNIX_Code_Packed_Format_for_Japanese", "=C6=FC", "日"), ("csIBM866", "=80", "А"),
    ])
    func registeredNamesAreKnown(_ name: String, _ bytes: String, _ expected: String) {
        let decoded = EncodedText.unstructured(Array("=?\(name)?Q?\(bytes)?=".utf8), charsets: CharsetDecoder())
        #expect(decoded == DecodedText(expected))
    }

    /// Seven-bit East Asian text is told by its escape sequences, raw and in words of another charset.
    @Test(
        arguments: [
            ("\u{1B}$BF|K\\\u{1B}(B", "日本", []), ("=?utf-8?Q?=1B$BF|K\\=1B(B?=", "日本", [.invalidCharsetData]),
            ("\u{1B}$)C\u{0E}:P\u{0F}", "분", []), ("\u{1B}$AVP\u{1B}(B", "中", []),
        ] as [(String, String, Set<Defect>)])
    func escapesTellTheCharset(_ raw: String, _ expected: String, _ defects: Set<Defect>) {
        let decoded = EncodedText.unstructured(Array(raw.utf8), charsets: CharsetDecoder())
        #expect(decoded == DecodedText(expected, defects))
    }

    @Test func unknownCharsetsAreGuessed() {
        let decoded = EncodedText.unstructured(Array("=?x-none?Q?a=E5=9F=BA?=".utf8), charsets: CharsetDecoder())
        #expect(decoded == DecodedText("a基", [.unknownCharset]))
    }
}
