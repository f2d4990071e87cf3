internal import FundCore
internal import FundHTTP

/// Digests in forms and in JSON.
extension NewsPace {
    /// Throws 400 for a text that is no such word.
    init(field: String) throws {
        guard let pace = NewsPace(rawValue: field) else {
            throw RequestError.invalid("news must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = pace
    }
}

extension PersonLanguage {
    /// Throws 400 for a text that is no such word.
    init(field: String) throws {
        guard let language = PersonLanguage(rawValue: field) else {
            throw RequestError.invalid(
                "language must be one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self = language
    }
}

extension DigestChange {
    /// Throws 400 for a word that is none.
    init(news: String?, desk: Bool?, language: String?) throws {
        self.init(
            news: try news.map(NewsPace.init(field:)), desk: desk,
            language: try language.map(PersonLanguage.init(field:)))
    }
}
