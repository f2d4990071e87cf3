import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct FieldNameTests {
    private static let short = String(repeating: "x", count: JSONNames.maxBytes)

    @Test(arguments: [
        ("{}", true), ("", true), ("{\"a\":\"\(short)x\"}", true), ("{\"\(short)\":1}", true),
        ("{\"\(short)x\":1}", false),
        ("{\"\(short)x\" \n:1}", false), ("[\"\(short)x\",{\"a\":1}]", true), ("{\"a\":{\"\(short)x\":1}}", false),
        ("{\"\\\"\(short)\":1}", false), ("{\"\\\\\":\"\(short)x\"}", true), ("{\"a\\\":\(short)\":1}", false),
    ])
    func names(_ json: String, _ areShort: Bool) { #expect(JSONNames.areHarmless(Array(json.utf8)) == areShort) }

    @Test(arguments: [
        (String(repeating: "\u{E9}", count: 5000), 200), (marks(30), 200), (marks(32), 400), (marks(15_000), 400),
    ])
    func fieldsBeyondASCII(_ agent: String, _ status: Int) async throws {
        var options = ServerHarness.Options()
        options.interfaces = [EchoInterface()]
        let harness = try await ServerHarness(options)
        for field in ["User-Agent", "Connection"] {
            let response = try await harness.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(field): \(agent)\r\n\r\n")
            #expect(response?.status == status, "\(field)")
        }
        try await harness.stop()
    }

    @Test func namesOfMarksAreRefused() {
        func areHarmless(_ name: String) -> Bool { JSONNames.areHarmless(Array("{\"\(name)\" :1}".utf8)) }
        let escapes = { String(repeating: #"\u0301"#, count: $0) }
        for (name, isHarmless) in [
            (marks(30), true), (marks(40), false), (escapes(30), true), (escapes(31), false),
            (String(repeating: "\u{E9}", count: 500), true), ("\u{E9}" + escapes(60) + "x", false),
        ] { #expect(areHarmless(name) == isHarmless, "\(name)") }
        #expect(!JSONNames.areHarmless(Array("{\"a\":1}".utf16).flatMap { [UInt8($0), 0] }))
        #expect(JSONNames.isHarmless(marks(30)) && !JSONNames.isHarmless(marks(40)))
    }

    /// Long values of forms are split and compared in linear time; passwords and texts stay as they were sent.
    @Test func longValuesHaveNoLongRuns() throws {
        let (short, long) = (marks(100), marks(1000))
        let form = try FieldText(form: "place=\(long)&password=\(short)&content=\(long)")
        let fields = form.withoutLongRuns(except: ["content"])
        #expect(fields["place"]?.isStreamSafe == true && fields["place"] != long)
        #expect(fields["password"] == short && fields["content"] == long)
    }

    /// 300 KB took 40 seconds, in which nothing else was answered.
    @Test func longWordsCostLittle() async throws {
        let word = marks(150_000)
        let body = Data("{\"if_taken\":\"\(word)\"}".utf8)
        let decoding = processorTime {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(TargetBody.self, from: body) }
        }
        #expect(decoding < .seconds(3))
        for query in ["if_taken", "sort", "reason"] {
            let text = try QueryText("\(query)=\(word)")
            #expect(text.word(query) == "")
        }
        let comparing = processorTime { #expect(ItemKind(name: word) == nil && NameConflict(word: word) == nil) }
        #expect(comparing < .seconds(3))
        #expect(NameConflict(word: "number") == .number)
    }

    /// A megabyte took minutes.
    @Test func longNamesCostLittle() {
        let name = marks(500_000)
        for read in [
            { try FieldText(json: Array("{\"\(name)\":1}".utf8)) }, { try FieldText(form: "\(name)=1") },
            { try FieldText(form: "a=1&%61\(name)=1") },
        ] as [() throws -> FieldText] {
            #expect(processorTime { #expect(throws: FieldError.malformed) { try read() } } < .seconds(3))
        }
        // Nothing is done with values but to hand them on.
        #expect(throws: Never.self) { try FieldText(form: "a=\(name)") }
    }
}
