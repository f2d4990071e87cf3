import Foundation
import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Feeds of other projects' test suites, where their folder lies beside this project's.
struct FeedCorpusTests {
    private static let folder = PackageRoot.path + "/../shared/corpora/feeds"

    private static let files: [String] = {
        let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return found.filter { $0.hasSuffix(".xml") || $0.hasSuffix(".html") }.sorted()
    }()

    private static let hasFiles = !files.isEmpty

    /// Files of another outcome than their suite says, at most: each is one of its own rules, such as markup that it
    /// leaves in a title.
    private static let maxOthers = ["title": 5, "link": 3, "date": 2, "body": 8]

    private static func document(_ file: String) throws -> FeedDocument {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file)))
        let head = String(decoding: bytes.prefix(2000), as: UTF8.self)
        /// A field as a line of the comment has it: `Header:   Content-type: text/xml`.
        func header(_ name: String) -> String? {
            for line in head.split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: ":", maxSplits: 2).map(\.trimmed)
                let isField = parts.count == 3 && parts[0].lowercased() == "header" && parts[1].lowercased() == name
                if isField { return parts[2] }
            }
            return nil
        }
        return FeedDocument(
            bytes: bytes, address: header("content-location") ?? "http://127.0.0.1:8097/\(file)",
            contentType: header("content-type"))
    }

    @Test(.enabled(if: hasFiles))
    func everyFileHasOneOutcome() throws {
        #expect(Self.files.count > 1000)
        var feeds = 0
        for file in Self.files {
            let document = try Self.document(file)
            let reading = FeedReader.read(document)
            if case .feed = reading { feeds += 1 }
            // A file that was cut has an outcome, too.
            _ = FeedReader.read(FeedDocument(bytes: Array(document.bytes.prefix(document.bytes.count / 2))))
        }
        #expect(feeds * 100 >= Self.files.count * 97, "\(feeds) of \(Self.files.count)")
    }

    @Test(.enabled(if: hasFiles))
    func findsWhatTheSuiteExpects() throws {
        var (checked, others): ([String: Int], [String: [String]]) = ([:], [:])
        for file in Self.files where file.hasPrefix("feedparser/") {
            let document = try Self.document(file)
            let decoded = String(decoding: FeedText.decoded(document).prefix(4000), as: UTF8.self)
            guard let expected = Expectation(decoded), case .feed(let feed) = FeedReader.read(document) else {
                continue
            }
            guard let (kind, found, wanted) = expected.compare(feed) else { continue }
            checked[kind, default: 0] += 1
            if found != wanted { others[kind, default: []].append("\(file): \(found) instead of \(wanted)") }
        }
        for (kind, limit) in Self.maxOthers {
            let list = others[kind] ?? []
            #expect(
                list.count <= limit, "\(kind): \(list.count) of \(checked[kind] ?? 0)\n\(list.joined(separator: "\n"))")
        }
        #expect(checked["title"] ?? 0 > 100 && checked["body"] ?? 0 > 100 && checked["date"] ?? 0 > 5)
    }
}

/// An expression of feedparser's suite: `entries[0]['title'] == 'x'`, with `feed` instead of an entry.
private struct Expectation {
    private var isEntry: Bool
    private var key: String
    private var value: String

    init?(_ text: String) {
        guard let start = text.firstRange(of: "Expect:")?.upperBound else { return nil }
        var line = text[start...].prefix { !$0.isNewline }.trimmed
        if line.hasPrefix("not bozo and ") { line = String(line.dropFirst("not bozo and ".count)) }
        guard !line.contains(" and "), !line.contains(" or "), let equals = line.firstRange(of: " == ") else {
            return nil
        }
        let (left, right) = (String(line[..<equals.lowerBound]), String(line[equals.upperBound...]))
        if left.hasPrefix("entries[0]") {
            isEntry = true
        } else if left.hasPrefix("feed[") {
            isEntry = false
        } else {
            return nil
        }
        let keys = ["title", "title_detail", "link", "description", "summary", "content", "summary_detail"]
        let dates = ["published_parsed", "updated_parsed", "created_parsed"]
        let names = left.split(separator: "'").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        guard let first = names.first,
            keys.contains(first) && !names.contains("type") && !names.contains("language")
                && !names.contains("base") && !names.contains("mode") || dates.contains(first)
        else { return nil }
        key = first
        guard let value = Self.literal(right) else { return nil }
        self.value = value
    }

    private static func literal(_ text: String) -> String? {
        if text.hasPrefix("(") { return text }
        let text = text.hasPrefix("u") ? String(text.dropFirst()) : text
        guard let quote = text.first, quote == "'" || quote == "\"", text.last == quote, text.count >= 2 else {
            return nil
        }
        var (result, rest) = ("", text.dropFirst().dropLast())
        while let next = rest.popFirst() {
            guard next == "\\", let escape = rest.popFirst() else {
                if next == quote { return nil }
                result.append(next)
                continue
            }
            switch escape {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "u", "x", "U":
                let count = escape == "u" ? 4 : escape == "U" ? 8 : 2
                guard let scalar = UInt32(rest.prefix(count), radix: 16).flatMap(Unicode.Scalar.init) else {
                    return nil
                }
                result.unicodeScalars.append(scalar)
                rest = rest.dropFirst(count)
            default: result.append(escape)
            }
        }
        return result
    }

    /// The field with what was found and what was wanted, both as this project has it; nil for one that it has not.
    func compare(_ feed: ParsedFeed) -> (String, String, String)? {
        let item = feed.items.first
        switch key {
        case "title", "title_detail":
            let found = isEntry ? item?.title ?? "" : feed.title
            // Plain text may look like HTML.
            let wanted = FeedText.visibleLine(value)
            return ("title", found, found == FeedText.line(value) ? found : wanted)
        case "link":
            guard let target = LinkTarget(value) else { return nil }
            return ("link", (isEntry ? item?.link : feed.siteAddress) ?? "", target.address)
        case "published_parsed", "updated_parsed", "created_parsed":
            guard isEntry, value.hasPrefix("(") else { return nil }
            let numbers = value.split { !$0.isNumber }.compactMap { Int($0) }
            guard numbers.count >= 6 else { return nil }
            let day = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]).daysSince1970
            let seconds = day * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
            return ("date", item?.publishedAt.map(\.description) ?? "", String(seconds))
        default:
            guard isEntry else { return nil }
            return ("body", Self.words(item?.html ?? ""), Self.words(value))
        }
    }

    /// Visible characters of HTML without white space.
    private static func words(_ html: String) -> String {
        VisibleText.of(html: html).filter { !$0.isWhitespace }
    }
}
