import Foundation
import FundCore
import TestSupport
import Testing

/// Text from mail is hostile wherever it is shown.
@Suite struct JSONWriterTests {
    @Test(arguments: HostileText.samples) func readsBack(text: String) throws {
        var writer = JSONWriter()
        writer.object { line in
            line.key("text")
            line.value(text)
            line.key("none")
            line.value(String?.none)
            line.key("list")
            line.value([text, "b"])
            line.key("number")
            line.value(Int64.min)
            line.key("seconds")
            line.value(-1.5)
            line.key("empty")
            line.object { _ in }
            line.key(text + "!")
            line.value(true)
        }
        let data = Data(writer.bytes)
        #expect(!writer.bytes.contains { $0 < 32 || $0 == 127 }, "one line, nothing that commands a terminal")
        let lineEnds = String(decoding: writer.bytes, as: UTF8.self).filter { $0.isNewline }
        #expect(lineEnds.isEmpty, "one line for those who also end lines at U+2028")
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect((object["text"] as? String)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        #expect(object["none"] is NSNull)
        #expect(object["list"] as? [String] == [text, "b"])
        #expect(object["number"] as? Int64 == .min)
        #expect(object["seconds"] as? Double == -1.5)
        #expect((object["empty"] as? [String: Any])?.isEmpty == true)
        #expect(object[text + "!"] as? Bool == true)
    }

    @Test(arguments: [0, 9, 10, 1_764_115_200, -1, -10, Int64.max, .min]) func writesNumbers(_ number: Int64) {
        var writer = JSONWriter()
        writer.value(number)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == String(number))
    }
}
