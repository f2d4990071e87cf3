/// How words in pictures are recognised.
package struct RecognitionSettings: Sendable, Hashable {
    /// In this order: in doubt the first one decides. Nil: of Chinese and English what is installed.
    package var languages: [RecognitionLanguage]?
    /// Limit of pages of one file.
    package var maxPages = 50

    package init() {}

    /// With these languages nothing is made anew that was made with those that are usual.
    private static let usual: [RecognitionLanguage] = [.simplifiedChinese, .english]

    /// How pages are recognised: what was made by another number is made anew.
    var recipe: Int {
        guard let languages, languages != Self.usual else { return Self.usualRecipe }
        // FNV-1a, of 32 bits, above all numbers of the usual recipe.
        let hash = languages.map(\.name).joined(separator: "+").utf8.reduce(UInt32(2_166_136_261)) {
            ($0 ^ UInt32($1)) &* 16_777_619
        }
        return 1 << 32 | Int(hash)
    }

    /// Raised when pages are recognised otherwise.
    private static let usualRecipe = 1

    /// Which pages are recognised, and how. Not 0.
    var plan: Int64 { Int64(recipe) << 16 | Int64(maxPages) }
}
