import Foundation

/// The outcome of a tool.
struct MCPResult: Sendable {
    /// Content items (`text`, `image`, `resource`), in their order.
    var content: [JSONValue]
    /// Whether people outside may have written some of it.
    var isUntrusted = false
    var isError = false

    var json: JSONValue {
        var members: [String: JSONValue] = ["content": .array(content), "isError": .bool(isError)]
        if isUntrusted { members["_meta"] = ["fundmail/untrusted": true] }
        return .object(members)
    }

    /// A sentence of this program alone.
    static func said(_ words: String, isError: Bool = false) -> MCPResult {
        MCPResult(content: [["type": "text", "text": .string(words)]], isError: isError)
    }

    /// Text from outside, which is cleaned, below a sentence of this program.
    static func untrusted(_ text: String, _ status: String) -> MCPResult {
        let text = UntrustedText(UntrustedText.clean(text)).framed(status)
        return MCPResult(content: [["type": "text", "text": .string(text)]], isUntrusted: true)
    }

    /// Records from outside, one JSON object a line, below a sentence of this program.
    static func records(_ records: [some Encodable], _ status: String) throws -> MCPResult {
        .untrusted(try records.map { try MCPRecord.line($0) }.joined(separator: "\n"), status)
    }
}
