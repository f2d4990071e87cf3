internal import FundCore

/// The last letters with which an item was sent, for the template `letterstrip`.
enum LetterStrip {
    private static let maxLetters = 5

    static func of(_ item: LibraryItemID, _ call: PageCall) async throws -> [PageModel] {
        let letters = try await call.letters.letters(
            LetterFilter(item: item), PageQuery(limit: maxLetters), of: try call.userID)
        return LetterStates(words: call.words, formats: call.formats).strip(letters.items)
    }
}
