internal import FundCore

/// The head of a request for a tunnel (CONNECT, RFC 9110 §9.3.6).
struct ConnectRequest: Equatable {
    /// The name or address, in the form that `DriveAddress` writes.
    var host: String
    var port: Int

    /// Heads of rclone have some hundred bytes.
    static let maxHeadBytes = 4096

    private static let end = Array("\r\n\r\n".utf8)

    /// Whether a head is there to its end.
    static func isWhole(_ head: [UInt8]) -> Bool { head.suffix(end.count).elementsEqual(end) }

    /// Nil for anything else than `CONNECT host:port HTTP/1.1` with fields behind it, and nothing behind them.
    init?(_ head: [UInt8]) {
        guard Self.isWhole(head), ASCII.firstIndex(of: Self.end, in: head) == head.count - Self.end.count,
            head.allSatisfy({ ASCII.isVisible($0) || $0 == .space || $0 == .cr || $0 == .lf })
        else { return nil }
        let words = head.prefix { $0 != .cr }.split(separator: .space, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("CONNECT".utf8),
            words[2].elementsEqual("HTTP/1.1".utf8) || words[2].elementsEqual("HTTP/1.0".utf8)
        else { return nil }
        let authority = String(decoding: words[1], as: UTF8.self)
        guard !authority.contains(where: { "/?#@\\".contains($0) }), let colon = authority.lastIndex(of: ":"),
            authority[colon...].count > 1, let address = DriveAddress("https://\(authority)")
        else { return nil }
        (host, port) = (address.host, address.port)
    }
}
