internal import FundHTTP
internal import Hummingbird

/// A language of the pages.
enum Language: String, Sendable, CaseIterable {
    case en, zh

    static let cookie = "fundmail-language"

    /// Column of its texts in the table of words.
    var column: Int { self == .en ? 0 : 1 }

    /// For `lang` (BCP 47).
    var tag: String { self == .zh ? "zh-Hans" : "en" }

    /// The language that the reader chose, else the one that their browser prefers (RFC 9110 §12.5.4), else English.
    init(of request: Request) {
        if let chosen = Cookies.value(of: Self.cookie, in: request).flatMap(Language.init(word:)) {
            self = chosen
            return
        }
        guard let field = request.headers[.acceptLanguage] else {
            self = .en
            return
        }
        let ranges = field.prefix(256).split(separator: ",").prefix(16)
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
