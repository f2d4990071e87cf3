import Foundation
import TestSupport
import Testing

@testable import FundCommand

/// The protocol, by what a client may send: well-formed, malformed, at the wrong time, too much.
@Suite(.timeLimit(.minutes(2))) struct MCPServerTests {
    private static func call(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
        """
        {"jsonrpc":"2.0","id":\(id),"method":"tools/call","params":{"name":"\(tool)","arguments":\(arguments)}}
        """
    }

    @Test(arguments: [
        ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
    ])
    func agreesOnARevision(asked: String, given: String) async throws {
        let conversation = MCPConversation()
        try await conversation.say(MCPConversation.initialize(asked))
        let answer = try #require(try await conversation.answers().first)
        #expect(answer["id"] == "start" && answer["result"]?["protocolVersion"] == .string(given))
        #expect(answer["result"]?["capabilities"]?["tools"] == [:])
        #expect(answer["result"]?["serverInfo"]?["name"] == "fundmail")
        // A second one is refused, and changes nothing.
        try await conversation.say(MCPConversation.initialize("2024-11-05"))
        #expect(try await conversation.answers().last?.errorCode == -32600)
    }

    @Test(arguments: [
        ("{", -32700, JSONValue.null), ("nonsense", -32700, .null),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#, -32700, .null), ("\"ping\"", -32600, .null),
        ("17", -32600, .null), ("null", -32600, .null), ("{}", -32600, .null),
        (#"{"id":4,"method":"ping"}"#, -32600, 4), (#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, -32600, 4),
        (#"{"jsonrpc":"2.0","id":4}"#, -32600, 4), (#"{"jsonrpc":"2.0","id":4,"method":7}"#, -32600, 4),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, .null),
        (#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}"#, -32602, 5),
        (#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#, -32601, "x"),
        (#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{}}"#, -32602, 6),
        (#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"none"}}"#, -32602, 6),
        (#"{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"2"}}"#, -32602, 6),
        (#"{"jsonrpc":"2.0","id":7,"method":"resources/read"}"#, -32602, 7),
        (#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"word://b"}}"#, -32002, 7),
        (#"{"jsonrpc":"2.0","id":8,"method":"resources/list","params":{"cursor":3}}"#, -32602, 8),
        (#"{"jsonrpc":"2.0","id":8,"method":"resources/list","params":{"cursor":"9"}}"#, -32602, 8),
        (#"{"jsonrpc":"2.0","id":9,"method":"prompts/list"}"#, -32601, 9), ("[]", -32600, .null),
    ])
    func saysWhatIsWrong(line: String, code: Int64, id: JSONValue) async throws {
        let conversation = try await MCPConversation.begun()
        try await conversation.say(line)
        let answers = try await conversation.answers()
        #expect(answers.count == 1 && answers[0].errorCode == code && answers[0]["id"] == id, "\(line): \(answers)")
        // It goes on.
        try await conversation.say(#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#)
        #expect(try await conversation.answers().last?["result"] == [:])
    }

    @Test func bytesThatAreNoTextAndLongLinesAreAnswered() async throws {
        let conversation = try await MCPConversation.begun()
        try await conversation.say(.bytes([0x22, 0xFF, 0xFE, 0x22]))
        try await conversation.say(.bytes([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]))
        try await conversation.say(.bytes(Array(String(repeating: "[", count: 200_000).utf8)))
        try await conversation.say(.tooLong)
        try await conversation.say(.bytes([0x20, 0x0D]))
        #expect(try await conversation.answers().map(\.errorCode) == [-32700, -32700, -32700, -32600])
    }

    /// Neither notifications nor answers get one.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"no/such"}"#, #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#, "",
    ])
    func answersNothing(line: String) async throws {
        let conversation = try await MCPConversation.begun()
        try await conversation.say(line)
        #expect(try await conversation.answers().isEmpty)
    }

    @Test func beginsWithInitialize() async throws {
        let conversation = MCPConversation()
        try await conversation.say(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        try await conversation.say(#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)
        // Clients of later revisions ask this first, and go back to the handshake when there is no such method.
        try await conversation.say(#"{"jsonrpc":"2.0","id":3,"method":"server/discover"}"#)
        try await conversation.say(#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}"#)
        try await conversation.say(#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#)
        #expect(try await conversation.answers().map(\.errorCode) == [nil, -32600, -32601, -32602, -32600])
    }

    @Test func listsAndCalls() async throws {
        let conversation = try await MCPConversation.begun()
        try await conversation.say(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}"#)
        let list = try #require(try await conversation.answers().first?["result"]?["tools"])
        guard case .array(let tools) = list else { throw ServerFailure("no list") }
        #expect(tools.map { $0["name"]?.text } == ["echo", "wait", "fail"])
        #expect(tools[0]["annotations"]?["readOnlyHint"] == true && tools[0]["inputSchema"]?["required"] == ["word"])
        let calls: [(String, String, String, Bool)] = [
            ("echo", #"{"word":"grüße 日本"}"#, "grüße 日本", false), ("echo", "{}", "“word” is missing.", true),
            ("echo", #"{"word":7}"#, "“word” must be text of 1 to 1000 characters.", true),
            ("echo", #"{"word":"a","x":1}"#, "There is no argument “x”; this tool takes word.", true),
            ("echo", #"["a"]"#, "The arguments must be an object.", true), ("fail", "{}", "It is broken.", true),
        ]
        for (index, (tool, arguments, said, isError)) in calls.enumerated() {
            try await conversation.say(Self.call(index + 10, tool, arguments))
            let answer = try await conversation.answers().last
            #expect(answer?.said == said && answer?["result"]?["isError"] == .bool(isError), "\(arguments)")
        }
        try await conversation.say(#"{"jsonrpc":"2.0","id":20,"method":"resources/list"}"#)
        #expect(try await conversation.answers().last?["result"]?["nextCursor"] == "1")
    }

    /// A batch is answered by one line, where the revision has batches.
    @Test(arguments: ["2024-11-05", "2025-03-26", "2025-06-18"])
    func batches(version: String) async throws {
        let conversation = try await MCPConversation.begun(version)
        try await conversation.say(
            "[" + Self.call(1, "echo", #"{"word":"a"}"#) + #",7,{"jsonrpc":"2.0","method":"x"},"#
                + #"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18"}},"#
                + Self.call(3, "echo", #"{"word":"b"}"#) + "]")
        try await conversation.say(#"[{"jsonrpc":"2.0","method":"x"}]"#)
        let many = Array(repeating: "1", count: MCPServer.maxBatch + 1).joined(separator: ",")
        try await conversation.say("[\(many)]")
        let answers = try await conversation.answers()
        guard version < "2025-06-18" else {
            #expect(answers.map(\.errorCode) == [-32600, -32600, -32600])
            return
        }
        #expect(answers.count == 2 && answers.contains { $0.errorCode == -32600 }, "\(answers)")
        guard case .array(let batch)? = answers.first(where: { $0.errorCode == nil }) else {
            throw ServerFailure("no batch")
        }
        let ids: [JSONValue] = [1, .null, 2, 3]
        #expect(batch.compactMap { $0["id"] } == ids && batch.map(\.said) == ["a", nil, nil, "b"])
    }

    @Test func cancelledRequestsGetNoAnswer() async throws {
        let conversation = try await MCPConversation.begun()
        try await conversation.say(Self.call(1, "wait"))
        try await conversation.say(Self.call(2, "wait"))
        try await eventually { conversation.service.waiting.count == 2 }
        // An id is free when its request has ended, not before.
        try await conversation.say(Self.call(1, "echo", #"{"word":"a"}"#))
        #expect(try conversation.written().map(\.errorCode) == [-32600])
        for id in ["1", "2", "\"1\"", "3"] {
            try await conversation.say(
                #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id),"reason":"x"}}"#)
        }
        try await conversation.say(Self.call(4, "echo", #"{"word":"b"}"#))
        #expect(try await conversation.answers().map(\.said) == [nil, "b"])
        try await conversation.say(Self.call(1, "echo", #"{"word":"c"}"#))
        #expect(try await conversation.answers().last?.said == "c")
    }

    @Test func tooManyRequestsAreRefused() async throws {
        let conversation = try await MCPConversation.begun()
        for id in 0...MCPServer.maxRunning { try await conversation.say(Self.call(id, "wait")) }
        let answers = try conversation.written()
        #expect(answers.count == 1 && answers[0].errorCode == -32603)
        #expect(answers[0]["id"] == .integer(Int64(MCPServer.maxRunning)))
        try await conversation.say(#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)
        for id in 0..<MCPServer.maxRunning {
            try await conversation.say(
                #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#)
        }
        #expect(try await conversation.answers().count == 2)
    }

    @Test func endsWhenItsReaderIsGone() async throws {
        let conversation = try await MCPConversation.begun()
        conversation.close()
        try await conversation.say(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        await #expect(throws: ServerFailure.self) {
            try await conversation.say(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        }
    }
}
