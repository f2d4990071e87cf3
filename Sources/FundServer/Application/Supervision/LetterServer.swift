package import FundCore

/// The mail server that letters are handed to, as people see it.
package struct LetterServer: Sendable, Hashable {
    /// The name of its host.
    package var name: String
    /// Sender of every letter: `Fundmail <funds@corp.example>`.
    package var from: String
    /// The rules for letters that people write.
    package var letters: LetterPolicy

    package init(name: String, from: String, letters: LetterPolicy = LetterPolicy()) {
        self.name = name
        self.from = from
        self.letters = letters
    }
}
