import FundCore
import Testing

struct HexTests {
    @Test(arguments: [([], ""), ([0], "00"), ([0x9F, 0xA0, 0x0B, 0xFF], "9fa00bff")] as [([UInt8], String)])
    func writesAndReads(_ bytes: [UInt8], _ text: String) {
        #expect(Hex.text(bytes) == text)
        #expect(Hex.bytes(text.utf8) == bytes)
        #expect(Hex.bytes(text.uppercased().utf8) == bytes)
    }

    @Test(arguments: ["0", "0g", "g0", "0x", " 00", "00 ", "+1", "００"])
    func readsNothingElse(_ text: String) { #expect(Hex.bytes(text.utf8) == nil) }

    @Test
    func knowsEveryDigit() {
        for value in UInt8(0)..<16 {
            #expect(ASCII.hexValue(Hex.digit(value)) == value)
            #expect(String(UnicodeScalar(Hex.digit(value))) == String(value, radix: 16))
        }
    }
}
