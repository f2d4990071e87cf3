/// A language of letters that answer no mail. The raw values stand in the database and in JSON.
package enum PersonLanguage: String, Sendable, Hashable, CaseIterable {
    case en, zh
}
