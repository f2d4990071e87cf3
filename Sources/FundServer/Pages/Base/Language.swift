internal import HTTPTypes
internal import Hummingbird
internal import Mustache
internal import FundCore

/// A language of the pages.
enum Language: String, Sendable, CaseIterable {
    case en, zh

    static let cookie = "fundmail-language"

    /// For `lang` (BCP 47).
    var tag: String { self == .zh ? "zh-Hans" : "en" }

    /// What the reader chose, else what their browser prefers (RFC 9110 §12.5.4), else English.
    init(of request: Request) {
        if let chosen = Cookies.value(of: Self.cookie, in: request).flatMap(Language.init(word:)) {
            self = chosen
            return
        }
        let ranges = (request.headers[.acceptLanguage] ?? "").prefix(256).split(separator: ",").prefix(16)
        let wanted = ranges.enumerated().compactMap { index, range -> (Language, Double, Int)? in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.lowercased(), let language = Language(word: String(tag.prefix(2))) else {
                return nil
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (language, weight, -index)
        }
        self = wanted.filter { $0.1 > 0 }.max { ($0.1, $0.2) < ($1.1, $1.2) }?.0 ?? .en
    }
}

/// Light or dark, as the reader chose; `system` follows the device.
enum Theme: String, Sendable, CaseIterable {
    case system, light, dark

    static let cookie = "fundmail-theme"

    init(of request: Request) {
        self = Cookies.value(of: Self.cookie, in: request).flatMap(Theme.init(word:)) ?? .system
    }
}

/// The words of the pages in one language, from `words.tsv`: a key, then the text in each language.
struct Words: MustacheParent, Sendable {
    static let table: [String: [String]] = {
        let lines = String(decoding: PackageResources.words_tsv, as: UTF8.self).split(separator: "\n")
        let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Array($0.dropFirst())) })
    }()

    let language: Language

    /// The text of a key, with the values where it says `{0}`, `{1}` … The key itself when there is none, which a test
    /// forbids.
    func callAsFunction(_ key: String, _ values: String...) -> String {
        let text = Self.table[key]?[language == .en ? 0 : 1] ?? key
        // In one pass: a value may hold `{1}` itself.
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            result += rest[..<open]
            if let index = Int(name), values.indices.contains(index) { result += values[index] }
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// Of a mail; words in its place when there is none or it is empty.
    func subject(_ text: String?) -> String { text.flatMap { $0.isEmpty ? nil : $0 } ?? self("mail.nosubject") }

    /// `files.one` or `files.many`.
    func count(_ key: String, _ number: Int) -> String {
        self(number == 1 ? "\(key).one" : "\(key).many", String(number))
    }

    /// What a page says after an act, named by `?done=`; nil for other words.
    func outcome(_ word: String) -> String? {
        guard word.isShortWord, word.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }) else {
            return nil
        }
        return Self.table["done.\(word)"].map { $0[language == .en ? 0 : 1] }
    }

    /// Templates write `t.nav_home`: a dot would lead into the text.
    private static let templateNames = Dictionary(
        uniqueKeysWithValues: table.map { ($0.key.replacing(".", with: "_"), $0.value) })

    func child(named name: String) -> Any? { Self.templateNames[name]?[language == .en ? 0 : 1] ?? name }
}

extension Words {
    /// What an error says to people: the table's words for what is wrong, else for its code. What only its own text
    /// says stands behind them.
    func sentence(_ failure: RequestError) -> String {
        if let problem = failure.problem { return self("problem.\(problem.rawValue)") }
        let words = self("error.\(failure.code)")
        guard failure.code == "invalid" || Self.table["error.\(failure.code)"] == nil else { return words }
        let detail = failure.detail.prefix(1).uppercased() + failure.detail.dropFirst() + "."
        return language == .en ? detail : "\(self("error.invalid")) (\(detail))"
    }

    /// A step of the routing, see `RoutingFact.text`.
    func sentence(_ fact: RoutingFact) -> String {
        func list(_ names: [String]) -> String {
            RoutingFact.list(names, separator: language == .en ? ", " : "、") ?? self("step.nofund")
        }
        return switch fact {
        case .subject(let subject): self("step.subject", subject)
        case .ignoredTag(let tag): self("step.ignored", tag)
        case .noTag: self("step.notag")
        case .unknownTag(let tag, let funds): self("step.unknown", tag, list(funds))
        case .ambiguousTag(let tag, let funds): self("step.ambiguous", tag, list(funds))
        case .knownTag(let tag, let fund, let owner, let isAlias):
            self(isAlias ? "step.alias" : "step.known", tag, fund, owner)
        case .decision(let outcome, let reason, let fund):
            if let fund, outcome == .filed {
                self("step.filed", fund)
            } else if let reason {
                self("step.held", self("outcome.\(outcome.rawValue)"), self("reason.\(reason.rawValue)"))
            } else {
                self("outcome.\(outcome.rawValue)")
            }
        case .prose(let text): text
        }
    }
}

/// Times and sizes as people read them.
struct Formats: Sendable {
    private static let months = CivilDate.monthNames.map { $0.prefix(1).uppercased() + $0.dropFirst() }

    let words: Words
    let now: Timestamp

    /// `1.3 MB`: decimal units, two digits at least.
    func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < 4 { (value, unit) = (value / 1000, unit + 1) }
        let digits = value < 9.95 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
        return "\(digits) \(["B", "KB", "MB", "GB", "TB"][unit])"
    }

    /// A day in UTC, with the time when it is of the last day; the page's script writes it in the reader's time zone.
    func time(_ time: Timestamp) -> PageModel {
        let parts = DateText.Parts(time)
        let (day, hour, minute) = (parts.date, parts.second / 3600, parts.second / 60 % 60)
        let date =
            words.language == .zh
            ? "\(day.year)年\(day.month)月\(day.day)日"
            : "\(day.day) \(Self.months[day.month - 1]) \(day.year)"
        let text = "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
        let isRecent = (0..<86400).contains(now.rawValue - time.rawValue)
        return ["datetime": DateText.internet(time), "text": isRecent ? "\(text) UTC" : date]
    }
}
