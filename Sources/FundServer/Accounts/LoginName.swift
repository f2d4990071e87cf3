import FundCore

/// The name that a user signs in with, in one form for all ways to write it.
enum LoginName {
    /// An address in the form in which addresses are compared; other text in lower case. Cut to the length of the
    /// longest address (RFC 5321 §4.5.3.1).
    static func normal(_ typed: String) -> String {
        let text = String(decoding: typed.utf8.prefix(320), as: UTF8.self)
        var scalars = text.unicodeScalars[...]
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        let trimmed = String(scalars)
        return EmailAddress(trimmed)?.description ?? trimmed.lowercased()
    }
}
