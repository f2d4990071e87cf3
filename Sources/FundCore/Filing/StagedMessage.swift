/// A routed message whose bytes stand in the store, are not yet durable and have no row.
package struct StagedMessage: Sendable {
    package var message: RoutedMessage
    /// Bytes written for it; counted against `BatchLimits.maxBytes`.
    package var stagedBytes: Int64
    /// The value by which the store that staged it knows it again; nil when no store did.
    package var receipt: (any StagingReceipt)?

    package init(message: RoutedMessage, stagedBytes: Int64) {
        self.message = message
        self.stagedBytes = stagedBytes
    }
}

/// A store's own value about a message that it staged. Opaque to all others.
package protocol StagingReceipt: Sendable {}
