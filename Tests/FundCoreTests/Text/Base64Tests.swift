import FundCore
import Testing

struct Base64Tests {
    /// RFC 4648 §10, and the two letters in which the alphabets differ.
    @Test(
        arguments: [
            ([], "", ""), (Array("f".utf8), "Zg", "Zg"), (Array("fo".utf8), "Zm8", "Zm8"),
            (Array("foo".utf8), "Zm9v", "Zm9v"), ([0xFB, 0xFF], "+/8", "-_8"),
        ] as [([UInt8], String, String)])
    func writesAndReads(_ bytes: [UInt8], _ text: String, _ urlText: String) {
        #expect(Base64.text(bytes) == text && Base64.urlText(bytes) == urlText)
        #expect(Base64.bytes(text) == bytes && Base64.bytes(url: urlText) == bytes)
    }

    @Test(arguments: ["Zm9v ", "Zm.v", "Zm9v\n", "é"])
    func readsNothingElse(_ text: String) {
        #expect(Base64.bytes(text) == nil && Base64.bytes(url: text) == nil)
    }

    @Test(arguments: ["Zg==", "+/8", "-/8"])
    func readsNoOtherAlphabet(_ text: String) { #expect(Base64.bytes(url: text) == nil) }
}
