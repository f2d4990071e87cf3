internal import FundCore

extension JSONWriter {
    /// The members of a letter, with times as numbers.
    /// - Parameter message: the mail that it is about; nil when that is gone.
    mutating func field(_ letter: OutboxLetter, _ message: AuditNames.Message?) {
        self.letter(letter, about: message) { $0.field($1, $2) }
    }
}
