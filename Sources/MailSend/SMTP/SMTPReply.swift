internal import FundCore
internal import MailConnection

/// A reply of an SMTP server (RFC 5321 §4.2).
package struct SMTPReply: Sendable, Hashable, CustomStringConvertible {
    /// 200 to 599.
    package var code: Int
    /// Its lines, joined, without controls; with the enhanced code where the server gives one (RFC 3463).
    package var text: String

    package init(code: Int, text: String) {
        self.code = code
        self.text = text
    }

    /// Longest text that is kept: what a person reads.
    private static let maxTextBytes = 1000

    /// The server did, or goes on with, what it was asked.
    package var isPositive: Bool { code < 400 }
    /// The server did it.
    package var isDone: Bool { (200..<300).contains(code) }
    /// Refused for now (RFC 5321 §4.2.1).
    package var isTransient: Bool { (400..<500).contains(code) }
    /// The server ends the connection (RFC 5321 §3.8).
    package var endsConnection: Bool { code == 421 }

    /// The letter is too large (RFC 1870 §6.1; RFC 3463 §3.4).
    var refusesSize: Bool { code == 552 || text.hasPrefix("5.3.4 ") }
    /// The address of the sender is wrong (RFC 3463 §3.2).
    var refusesSender: Bool { text.hasPrefix("5.1.7 ") || text.hasPrefix("5.1.8 ") }

    package var description: String { text.isEmpty ? "\(code)" : "\(code) \(text)" }

    /// One line of a reply: its code, whether another line follows, and its text. Nil when it is none.
    static func line(_ bytes: [UInt8]) -> (code: Int, isLast: Bool, text: String)? {
        guard let code = ASCII.number(bytes.prefix(3)), bytes.count >= 3, (200..<600).contains(code) else {
            return nil
        }
        let mark = bytes.dropFirst(3).first ?? .space
        guard mark == .space || mark == .hyphen else { return nil }
        let text = String(decoding: bytes.dropFirst(4).map { $0.isControl ? UInt8.space : $0 }, as: UTF8.self)
        return (code, mark == .space, text.trimmed)
    }

    /// Appends the text of a further line.
    mutating func append(_ line: String) {
        guard !line.isEmpty, text.utf8.count < Self.maxTextBytes else { return }
        text = (text.isEmpty ? line : "\(text) \(line)").prefix(bytes: Self.maxTextBytes)
    }
}
