internal import Foundation

/// One line of `replay --json`.
package struct MessageLine: Sendable, Decodable {
    package struct File: Sendable, Decodable {
        package var name: String
        package var content_type: String
        package var size: Int
        package var sha256: String
        package var inline: Bool
        package var part: String
    }

    package var source: String
    package var digest: String
    package var outcome: String
    package var reason: String?
    package var email_id: Int?
    package var user: String?
    package var fund: String?
    package var subject: String?
    package var from: String?
    package var attachments: [File]
    package var defects: [String]
    package var suggestions: [String]

    /// The last line.
    package struct Summary: Sendable, Decodable {
        package var seen: Int
        package var filed: Int
        package var misrouted: Int
        package var rejected: Int
        package var duplicate: Int
        package var failed: Int
    }

    /// Every message's line, as text and as value, and the summary.
    package struct Run: Sendable {
        package var lines: [(text: String, line: MessageLine)] = []
        package var summary: Summary
    }

    private struct LastLine: Decodable { var summary: Summary }

    package static func read(_ output: String) throws -> Run {
        var lines = output.split(separator: "\n").map(String.init)
        guard let last = lines.popLast() else { throw FixtureError("no output at all") }
        let decoder = JSONDecoder()
        let summary = try decoder.decode(LastLine.self, from: Data(last.utf8)).summary
        return Run(
            lines: try lines.map { text in
                do { return (text, try decoder.decode(MessageLine.self, from: Data(text.utf8))) } catch {
                    throw FixtureError("\(text): \(error)")
                }
            }, summary: summary)
    }
}
