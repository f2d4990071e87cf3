/// Keywords from clients. Swift compares text in quadratic time for long runs of combining marks, once for each keyword
/// of a list: a body of 300 KB took 40 s.
extension String {
    /// Longer than every keyword of the server.
    private static let maxWordBytes = 64

    var isShortWord: Bool { utf8.count <= Self.maxWordBytes }
}

extension RawRepresentable<String> {
    /// Use it for text from clients instead of `init(rawValue:)`.
    init?(word: String) {
        guard word.isShortWord else { return nil }
        self.init(rawValue: word)
    }
}
