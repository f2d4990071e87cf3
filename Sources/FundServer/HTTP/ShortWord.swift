/// Words of a fixed list, as clients write them. To compare text takes quadratic time for long runs of combining marks, and one
/// comparison is made for each word of the list: a body of 300 KB took 40 seconds.
extension String {
    /// Longer than any word that means something to the server.
    private static let maxWordBytes = 64

    var isShortWord: Bool { utf8.count <= Self.maxWordBytes }
}

extension RawRepresentable<String> {
    /// To be used for all text from outside, instead of `init(rawValue:)`.
    init?(word: String) {
        guard word.isShortWord else { return nil }
        self.init(rawValue: word)
    }
}
