import Foundation
import Synchronization
import TestSupport

@testable import FundCommand

/// A server of the protocol and all that it answered.
final class MCPConversation: Sendable {
    let service = WordService()
    private let server: MCPServer
    private let lines: Lines

    private final class Lines: Sendable {
        let written = Mutex<[[UInt8]]>([])
        let isClosed = Mutex(false)
    }

    init() {
        let lines = Lines()
        self.lines = lines
        server = MCPServer(service) { bytes in
            if lines.isClosed.withLock({ $0 }) { throw ServerFailure("closed") }
            lines.written.withLock { $0.append(bytes) }
        }
    }

    /// One that is past its handshake.
    static func begun(_ version: String = "2025-06-18") async throws -> MCPConversation {
        let conversation = MCPConversation()
        try await conversation.say(Self.initialize(version))
        try await conversation.say(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        conversation.lines.written.withLock { $0 = [] }
        return conversation
    }

    static func initialize(_ version: String) -> String {
        """
        {"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":"\(version)",\
        "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
        """
    }

    func say(_ line: String) async throws { try await server.take(.bytes(Array(line.utf8))) }
    func say(_ line: LineInput.Line) async throws { try await server.take(line) }

    /// Its reader goes away.
    func close() { lines.isClosed.withLock { $0 = true } }

    /// Waits for all answers, and gives them in the order in which they came.
    func answers() async throws -> [JSONValue] {
        await server.finish()
        return try written()
    }

    /// The answers so far.
    func written() throws -> [JSONValue] {
        try lines.written.withLock { $0 }.map { line in
            guard line.last == UInt8(ascii: "\n"), line.count(where: { $0 == UInt8(ascii: "\n") }) == 1 else {
                throw ServerFailure("not one line")
            }
            return try JSONValue(line)
        }
    }
}

extension JSONValue {
    /// Number of the error in an answer.
    var errorCode: Int64? { if case .integer(let code)? = self["error"]?["code"] { code } else { nil } }

    /// Text of the first content item of a tool's answer.
    var said: String? {
        if case .array(let items)? = self["result"]?["content"] { items.first?["text"]?.text } else { nil }
    }
}
