internal import Foundation

/// The messages in `Fixtures/mail` with the results that are expected of them.
package struct FixtureMail: Sendable {
    package static let groups = ["ordinary", "clients", "international", "malformed", "hostile"]

    /// `group/name`, as in the failure reports.
    package var name: String
    /// With LF line ends, as in the folder.
    package var bytes: [UInt8]
    package var expected: FixtureExpectation

    /// All of them, in the order of their names. An empty or missing group is an error, and so is a message without its
    /// result or a result without its message.
    package static func all() throws -> [FixtureMail] {
        try groups.flatMap { group in
            let folder = PackageRoot.path + "/Fixtures/mail/" + group
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let stems = { (suffix: String) in
                Set(files.filter { $0.hasSuffix(suffix) }.map { $0.dropLast(suffix.count) })
            }
            let messages = stems(".eml")
            guard !messages.isEmpty else { throw FixtureError("\(group): no messages") }
            let unpaired = messages.symmetricDifference(stems(".json"))
            guard unpaired.isEmpty else { throw FixtureError("\(group): only half there: \(unpaired.sorted())") }
            return try messages.sorted().map { stem in
                let base = URL(fileURLWithPath: "\(folder)/\(stem)")
                let text = try Data(contentsOf: base.appendingPathExtension("json"))
                do {
                    return FixtureMail(
                        name: "\(group)/\(stem)",
                        bytes: Array(try Data(contentsOf: base.appendingPathExtension("eml"))),
                        expected: try JSONDecoder().decode(FixtureExpectation.self, from: text))
                } catch { throw FixtureError("\(group)/\(stem).json: \(error)") }
            }
        }
    }

    /// The message as it comes with `lineEnds`.
    package func bytes(_ lineEnds: LineEnds) -> [UInt8] {
        lineEnds == .lf || expected.keepsLineEnds ? bytes : LineEnds.crlf(bytes)
    }
}

/// Servers deliver CRLF, Unix files hold LF.
package enum LineEnds: String, Sendable, CaseIterable {
    case lf, crlf

    /// Every LF that has no CR before it becomes CRLF; a CR that stands alone stays.
    package static func crlf(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 30)
        for byte in bytes {
            if byte == 10, result.last != 13 { result.append(13) }
            result.append(byte)
        }
        return result
    }
}

/// The content of the `.json` beside a message. A key that is missing claims nothing.
package struct FixtureExpectation: Sendable, Decodable {
    package struct Trust: Sendable, Decodable, Hashable {
        package var authserv_id: String
        package var require: String
        package var own_received: Int?
        package var submission_domains: [String]?
    }
    package struct Content: Sendable, Decodable, Equatable {
        package var size: Int
        package var sha256: String
    }
    package struct File: Sendable, Decodable {
        package var name: String?
        package var content_type: String?
        package var size: Int
        package var sha256: String
        /// Where line ends belong to the content.
        package var crlf: Content?
        package var inline: Bool
        package var part: String?

        package func content(_ lineEnds: LineEnds) -> Content {
            lineEnds == .crlf ? crlf ?? Content(size: size, sha256: sha256) : Content(size: size, sha256: sha256)
        }
    }

    /// Which rule the message is for.
    package var covers: String
    /// The aim of an attacker.
    package var attack: String?
    /// The trust policy of the mailbox; without it an administrator vouches.
    package var mailbox: Trust?
    /// `as-is` where converting line ends would break the message.
    package var line_ends: String?
    package var outcome: String
    package var reason: String?
    package var user: String?
    package var fund: String?
    package var subject: String?
    package var from: String?
    package var attachments: [File]
    package var defects: [String]
    package var suggestions: [String]
    package var text_contains: String?
    package var html_contains: String?
    /// The keys that stand in the file, so that a null can be told from no claim.
    package var claims: Set<String>

    package var keepsLineEnds: Bool { line_ends == "as-is" }

    private enum Key: String, CodingKey, CaseIterable {
        case covers, attack, mailbox, line_ends, outcome, reason, user, fund, subject, from, attachments, defects
        case suggestions, text_contains, html_contains
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        covers = try values.decode(String.self, forKey: .covers)
        attack = try values.decodeIfPresent(String.self, forKey: .attack)
        mailbox = try values.decodeIfPresent(Trust.self, forKey: .mailbox)
        line_ends = try values.decodeIfPresent(String.self, forKey: .line_ends)
        outcome = try values.decode(String.self, forKey: .outcome)
        reason = try values.decodeIfPresent(String.self, forKey: .reason)
        user = try values.decodeIfPresent(String.self, forKey: .user)
        fund = try values.decodeIfPresent(String.self, forKey: .fund)
        subject = try values.decodeIfPresent(String.self, forKey: .subject)
        from = try values.decodeIfPresent(String.self, forKey: .from)
        attachments = try values.decode([File].self, forKey: .attachments)
        defects = try values.decode([String].self, forKey: .defects)
        suggestions = try values.decode([String].self, forKey: .suggestions)
        text_contains = try values.decodeIfPresent(String.self, forKey: .text_contains)
        html_contains = try values.decodeIfPresent(String.self, forKey: .html_contains)
        claims = Set(values.allKeys.map(\.rawValue))
    }
}

/// The folder of Package.swift.
package enum PackageRoot {
    package static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
}

package struct FixtureError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
