/// A key by which requests are signed as AWS has them (Signature Version 4,
/// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html). Never printed.
package struct SigningKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    package var id: String
    package var secret: String
    /// The token that goes with each request of a key that ends soon; nil for one that lasts.
    package var sessionToken: String?

    package init(id: String, secret: String, sessionToken: String? = nil) {
        (self.id, self.secret, self.sessionToken) = (id, secret, sessionToken)
    }

    package var description: String { "(left out)" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Removes the key and its parts from a text of a server or a library.
    package func redacting(_ said: String) -> String {
        let parts = [secret, id] + (sessionToken.map { [$0] } ?? [])
        return parts.reduce(said) { Secret(kind: .password, text: $1).redacting($0) }
    }
}
