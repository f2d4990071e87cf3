import TestSupport
import FundCore
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct MobileTextTests {
    private static let sign = String(repeating: "0f", count: 32)

    @Test func targetsAreTakenApart() throws {
        let target = try #require(MobileTarget("/notes/3/12/7/\(Self.sign)?ts=1&a=%20"))
        #expect(target.ids == [3, 12] && target.user == 7)
        #expect(target.sign == Array(repeating: 0x0F, count: 32))
        #expect(target.signedPath == "/notes/3/12/7" && target.query == "ts=1&a=%20")
        let plain = try #require(MobileTarget("/funds/9223372036854775807/\(Self.sign)"))
        #expect(plain.ids.isEmpty && plain.user == User.ID(.max) && plain.query.isEmpty)
        #expect(try #require(MobileTarget("/funds/1/\(Self.sign)?a?b")).query == "a?b")
    }

    /// There is one way to write a call.
    @Test(arguments: [
        "", "/", "/funds", "/funds/7", "/funds/7/", "/funds/\(sign)", "funds/7/\(sign)", "/funds/7/\(sign)/",
        "//funds/7/\(sign)", "/funds//7/\(sign)", "/funds/07/\(sign)", "/funds/0/\(sign)", "/funds/+7/\(sign)",
        "/funds/-7/\(sign)", "/funds/%37/\(sign)", "/funds/7 /\(sign)", "/funds/7x/\(sign)",
        "/funds/9223372036854775808/\(sign)", "/funds/99999999999999999999/\(sign)", "/funds/7/\(sign.uppercased())",
        "/funds/7/\(sign.dropLast())", "/funds/7/\(sign)0", "/funds/7/\(sign.dropLast(2))zz", "/funds/x/7/\(sign)",
        "/funds/7/%30f\(sign.dropFirst(2))", "http://127.0.0.1/funds/7/\(sign)", "/funds/7/\(sign)#x",
    ])
    func otherTargetsHaveNoSign(target: String) { #expect(MobileTarget(target) == nil) }

    @Test func formsAreRead() throws {
        #expect(try FieldText(form: "").values == [:])
        #expect(try FieldText(form: "a=1&b=x+y%21&c&&d==").values == ["a": "1", "b": "x y!", "c": "", "d": "="])
        #expect(try FieldText(form: "n=%E5%9F%BA%E9%87%91").values == ["n": "基金"])
        for (text, problem) in [
            ("a=1&a=1", FieldError.duplicate("a")), ("a=1&%61=2", .duplicate("a")), ("a=%", .malformed),
            ("a=%4", .malformed), ("a=%zz", .malformed), ("a=%ff", .malformed), ("a=%C3%28", .malformed),
        ] {
            #expect(throws: problem, "\(text)") { try FieldText(form: text) }
        }
    }

    /// Fields are counted before any of them is read: the broken one behind the last is not seen.
    @Test func formsHaveAThousandFields() throws {
        let most = (0..<FieldText.maxFields).map { "a\($0)=%41" }.joined(separator: "&&")
        #expect(try FieldText(form: most).values.count == FieldText.maxFields)
        #expect(throws: FieldError.tooMany) { try FieldText(form: "%&\(most)") }
        #expect(throws: FieldError.tooMany) { try FieldText(form: String(repeating: "a&", count: 70_000)) }
    }

    @Test func objectsAreRead() throws {
        func values(_ json: String) throws -> [String: String] { try FieldText(json: Array(json.utf8)).values }
        #expect(try values("{}") == [:])
        #expect(
            try values(#" {"a":"x\n","b":12,"c":true,"d":null,"e":1.5,"f":9007199254740993} "#)
                == ["a": "x\n", "b": "12", "c": "true", "e": "1.5", "f": "9007199254740993"])
        for json in [
            "", "[]", "{", #"{"a":[1]}"#, #"{"a":{}}"#, "null", "{\"a\":\"\u{7f}", String(repeating: "[", count: 5000),
        ] {
            #expect(throws: FieldError.malformed, "\(json.prefix(20))") { try values(json) }
        }
        for (json, problem) in [
            (#"{"a":"1","a":"2"}"#, FieldError.duplicate("a")), (#"{"a":"1","\u0061":null}"#, .duplicate("a")),
            (#"{"date":9223372036854775808}"#, .number("9223372036854775808")),
            (#"{"date":-99999999999999999999}"#, .number("-99999999999999999999")),
            (#"{"date":9007199254740993.0}"#, .number("9007199254740993.0")),
        ] {
            #expect(throws: problem, "\(json)") { try values(json) }
        }
        var fields = try FieldText(form: "ts=1")
        #expect(throws: FieldError.duplicate("ts")) { try fields.merge(FieldText(form: "ts=2")) }
    }

    /// The signed text and its HMAC, made with: printf '…' | openssl dgst -sha256 -hmac key
    @Test func theSignIsWhatTheDocumentationSays() {
        let call = SignedCall(
            method: "POST", path: "/funds/7", query: "ts=1337001234&nonce=a", body: Array("name=x".utf8))
        #expect(
            call.text
                == "POST\n/funds/7\nts=1337001234&nonce=a\n"
                + "3b9ac7d72f2481df5ee24ebe99245f71016f36b36a5f9250b8fdf892b09bedcb"
        )
        let hex = call.sign(key: Array("key".utf8)).map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        #expect(hex == "5557603533a9bf8aa47a84e3ff72fec8b5d0832562c6c400702fe4b7f16f2a10")
    }
}
