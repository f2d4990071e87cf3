/// A change to the digests that a person gets; nil leaves a part.
package struct DigestChange: Sendable, Hashable {
    /// The times of letters about what is new in their funds.
    package var news: NewsPace?
    /// Whether a daily letter tells an administrator what waits at the desk.
    package var desk: Bool?
    /// The language of both.
    package var language: PersonLanguage?

    package init(news: NewsPace? = nil, desk: Bool? = nil, language: PersonLanguage? = nil) {
        (self.news, self.desk, self.language) = (news, desk, language)
    }

    package var isEmpty: Bool { news == nil && desk == nil && language == nil }
}
