/// Stands for the state of a thing (RFC 9110 §8.8.3): a change that carries it is made only if the thing is still in
/// that state, and fails with `ClientError.Code.preconditionFailed` otherwise.
public struct EntityTag: Hashable, Sendable, Codable {
    /// Text on the wire, with its quotes.
    public let text: String

    /// Creates a tag of the text that a server sent.
    public init(text: String) { self.text = text }

    /// Tag of a file's content, which is its digest.
    public init(_ digest: Digest) { text = "\"\(digest)\"" }
}

/// A thing with the tag of its state.
public struct Tagged<Value: Sendable>: Sendable {
    /// The tagged value.
    public var value: Value
    /// Changes with the value.
    public var tag: EntityTag

    /// Creates a value with the tag of its state.
    public init(value: Value, tag: EntityTag) {
        self.value = value
        self.tag = tag
    }
}
