import TestSupport
import Testing

@testable import FundServer

@Suite struct FieldNameTests {
    private static let short = String(repeating: "x", count: JSONNames.maxBytes)

    @Test(arguments: [
        ("{}", true), ("", true), ("{\"a\":\"\(short)x\"}", true), ("{\"\(short)\":1}", true),
        ("{\"\(short)x\":1}", false),
        ("{\"\(short)x\" \n:1}", false), ("[\"\(short)x\",{\"a\":1}]", true), ("{\"a\":{\"\(short)x\":1}}", false),
        ("{\"\\\"\(short)\":1}", false), ("{\"\\\\\":\"\(short)x\"}", true), ("{\"a\\\":\(short)\":1}", false),
    ])
    func names(_ json: String, _ areShort: Bool) { #expect(JSONNames.areShort(json.utf8) == areShort) }

    @Test(arguments: [
        (String(repeating: "\u{E9}", count: 5000), 200), (marks(30), 200), (marks(32), 400), (marks(15_000), 400),
    ])
    func fieldsBeyondASCII(_ agent: String, _ status: Int) async throws {
        var options = ServerTrial.Options()
        options.faces = [EchoFace()]
        let trial = try await ServerTrial(options)
        for field in ["User-Agent", "Connection"] {
            let response = try await trial.raw("GET /peer HTTP/1.1\r\nHost: a\r\n\(field): \(agent)\r\n\r\n")
            #expect(response?.status == status, "\(field)")
        }
        try await trial.stop()
    }

    /// A megabyte took minutes.
    @Test func longNamesCostLittle() {
        let name = marks(500_000)
        for read in [
            { try FieldText(json: Array("{\"\(name)\":1}".utf8)) }, { try FieldText(form: "\(name)=1") },
            { try FieldText(form: "a=1&%61\(name)=1") },
        ] as [() throws -> FieldText] {
            #expect(processorTime { #expect(throws: FieldText.Problem.malformed) { try read() } } < .seconds(3))
        }
        // Nothing is done with values but to hand them on.
        #expect(throws: Never.self) { try FieldText(form: "a=\(name)") }
    }
}
