import Foundation
import TestSupport
import Testing

/// Messages from other projects, with the results of their suites or of two other parsers.
@Suite(
    .startsPrograms,
    .enabled(if: CorporaMail.folder != nil, "no corpora beside the checkout; FUNDMAIL_CORPORA names their folder"))
struct CorporaTests {
    private enum Form: String, CaseIterable { case asItCame, lf, crlf }

    @Test func everyMessageHasOneLineAndTheClaimsHold() async throws {
        let folder = try #require(CorporaMail.folder)
        let messages = try CorporaMail.messages(in: folder)
        let claims = try CorporaMail.claims(in: folder)
        var runs: [Form: [String: MessageLine]] = [:]
        for form in Form.allCases { runs[form] = try await replay(messages, form) }
        let asItCame = try #require(runs[.asItCame])
        var differences: [String: [String]] = [:]
        var score = (claims: 0, held: 0, attachments: 0, attachmentsFound: 0)
        for claim in claims {
            let line = try #require(asItCame[claim.file], "\(claim.file) has no line")
            let problems = Self.problems(claim, line)
            let missing = Self.missing(claim, line)
            score.claims += 1
            score.attachments += claim.attachments.count
            score.attachmentsFound += claim.attachments.count - missing.count { $0.hasPrefix("missing") }
            if problems.isEmpty, missing.isEmpty { score.held += 1 }
            for form in [Form.lf, .crlf] {
                let other = try #require(runs[form]?[claim.file], "\(claim.file) has no line (\(form))")
                differences[claim.file, default: []] += Self.problems(claim, other).map { "\(form): \($0)" }
                if other.attachments.count != line.attachments.count {
                    differences[claim.file, default: []].append(
                        "\(form): \(other.attachments.count) attachments, as it came \(line.attachments.count)")
                }
            }
            differences[claim.file, default: []] += problems + missing
        }
        differences = differences.filter { !$0.value.isEmpty }
        print(
            "corpora: \(messages.count) messages, three forms; \(score.held) of \(score.claims) files as claimed, "
                + "\(score.attachmentsFound) of \(score.attachments) attachments found")
        for (file, problems) in differences.sorted(by: { $0.key < $1.key }) {
            print("  \(file): \(Self.known[file] ?? "NEW")\n    \(problems.joined(separator: "\n    "))")
        }
        let unknown = differences.keys.filter { Self.known[$0] == nil }.sorted()
        #expect(unknown.isEmpty, "\(unknown.map { "\($0): \(differences[$0] ?? [])" }.joined(separator: "\n"))")
        let stale = Self.known.keys.filter { differences[$0] == nil }.sorted()
        #expect(stale.isEmpty, "no longer differ: \(stale)")
    }

    /// Files that come out differently, and why that is right or cannot be had.
    private static let known: [String: String] = {
        let hares = "claims U+FFFD where the umlaut can be read: raw 8-bit or a charset named wrongly"
        let path = "the name is a path: only its last component is shown (RFC 2183 §2.3)"
        let cut = "base64 cut off inside a group: that suite drops the bytes that its last characters determine"
        return [
            "mime4j/core__src__test__resources__mimetools-testmsgs__frag.msg.eml": cut,
            "mime4j/core__src__test__resources__mimetools-testmsgs__multi-frag.msg.eml": cut,
            "stalwart-mail-parser/resources__eml__legacy__010.eml": hares,
            "stalwart-mail-parser/resources__eml__legacy__020.eml": hares,
            "stalwart-mail-parser/resources__eml__legacy__022.eml": hares,
            "stalwart-mail-parser/resources__eml__legacy__027.eml": hares,
            "stalwart-mail-parser/resources__eml__legacy__052.eml": hares,
            "stalwart-mail-parser/resources__eml__legacy__035.eml": path,
            "stalwart-mail-parser/resources__eml__legacy__039.eml": path,
            "mime-tools/testmsgs__multi-2evil.msg.eml": path,
        ]
    }()

    private func replay(_ messages: [(name: String, bytes: [UInt8])], _ form: Form) async throws -> [String:
        MessageLine]
    {
        let store = try await FixtureStore()
        defer { store.remove() }
        for (name, bytes) in messages { try store.write(Self.bytes(bytes, form), to: "mail/" + name) }
        let run = try await store.replay("mail")
        #expect(run.summary.failed == 0)
        #expect(run.lines.count == messages.count)
        let root = store.folder + "/mail/"
        let lines = run.lines.map { (String($0.line.source.dropFirst(root.count)), $0.line) }
        let byName = Dictionary(grouping: lines) { $0.0 }
        for (name, _) in messages { #expect(byName[name]?.count == 1, "\(name): \(byName[name]?.count ?? 0) lines") }
        return byName.compactMapValues { $0.first?.1 }
    }

    private static func bytes(_ bytes: [UInt8], _ form: Form) -> [UInt8] {
        switch form {
        case .asItCame: bytes
        case .crlf: LineEnds.crlf(bytes)
        case .lf:
            bytes.indices.compactMap { index in
                let isBeforeLF = index + 1 < bytes.count && bytes[index + 1] == 10
                return bytes[index] == 13 && isBeforeLF ? nil : bytes[index]
            }
        }
    }

    private static func problems(_ claim: CorporaMail.Claims, _ line: MessageLine) -> [String] {
        var problems: [String] = []
        if let subject = claim.subject, words(subject) != words(line.subject ?? "") {
            problems.append(
                "subject: claimed \(subject.debugDescription), got \((line.subject ?? "-").debugDescription)")
        }
        if let from = claim.from, from.lowercased() != line.from?.lowercased() {
            problems.append("from: claimed \(from), got \(line.from ?? "-")")
        }
        return problems
    }

    /// Runs of white space differ between engines that unfold, and mean nothing.
    private static func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }

    /// Claimed attachments that are not among those found with the same bytes, each found one counted once.
    private static func missing(_ claim: CorporaMail.Claims, _ line: MessageLine) -> [String] {
        var left = line.attachments
        return claim.attachments.compactMap { wanted in
            let sameBytes = left.indices.filter { fits(left[$0], wanted) }
            let named = sameBytes.first { wanted.name == nil || left[$0].name == safe(wanted.name ?? "") }
            guard let index = named ?? sameBytes.first else {
                return "missing: \(wanted.content_type) \(wanted.size ?? 0) \(wanted.name ?? "")"
            }
            let found = left.remove(at: index)
            return named == nil ? "name: claimed \(wanted.name ?? ""), got \(found.name)" : nil
        }
    }

    /// Whether a file has the bytes that are claimed, as far as they are.
    private static func fits(_ found: MessageLine.File, _ wanted: CorporaMail.Claims.File) -> Bool {
        if let digest = wanted.sha256 { return found.sha256 == digest }
        return wanted.size.map { $0 == found.size } ?? (found.content_type == wanted.content_type)
    }

    /// Display names hold no path characters.
    private static func safe(_ name: String) -> String {
        String(name.map { "/\\:*?\"<>|".contains($0) ? "_" : $0 })
    }
}
