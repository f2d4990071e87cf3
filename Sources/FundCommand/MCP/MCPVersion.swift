/// Revisions of the Model Context Protocol that this server speaks (https://modelcontextprotocol.io/specification).
enum MCPVersion: String, CaseIterable, Comparable, Sendable {
    case first = "2024-11-05"
    case batches = "2025-03-26"
    case withoutBatches = "2025-06-18"
    case latest = "2025-11-25"

    /// The revision for a session: the one that the client asks for, else the latest, which the client may refuse.
    init(asked text: String) { self = MCPVersion(rawValue: text) ?? .latest }

    /// Whether several messages may come as one array.
    var hasBatches: Bool { self < .withoutBatches }

    /// Orders revisions by date.
    static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
