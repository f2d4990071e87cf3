/// The part of the store that knows what a letter tells.
package protocol LetterFactReading: Sendable {
    /// The facts for a letter as they are now, as far as its recipient may know them. Errors are `StoreError`.
    func facts(of letter: OutboxLetter) async throws -> LetterFacts
}
