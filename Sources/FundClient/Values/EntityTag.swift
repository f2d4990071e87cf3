/// Stands for the state of a thing (RFC 9110 §8.8.3): a change that carries it is made only if the thing is still in
/// that state, and fails with `ClientError.Code.preconditionFailed` otherwise.
public struct EntityTag: Hashable, Sendable, Codable {
    /// As it is sent, with its quotes.
    public let text: String

    /// Makes one of its parts.
    public init(text: String) { self.text = text }

    /// Of the content of a file, which is known by its digest.
    public init(_ digest: Digest) { text = "\"\(digest)\"" }
}

/// A thing with the tag of its state.
public struct Tagged<Value: Sendable>: Sendable {
    /// As it is on the wire.
    public var value: Value
    /// Changes with the value.
    public var tag: EntityTag

    /// Makes one of its parts.
    public init(value: Value, tag: EntityTag) {
        self.value = value
        self.tag = tag
    }
}
