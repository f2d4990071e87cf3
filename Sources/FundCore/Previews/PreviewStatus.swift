/// The state of a store's previews.
package struct PreviewStatus: Sendable, Hashable {
    /// Renditions of one kind.
    package struct Amount: Sendable, Hashable {
        package var count = 0
        package var bytes: Int64 = 0

        package init(count: Int, bytes: Int64) {
            self.count = count
            self.bytes = bytes
        }
    }

    /// Renditions that are there.
    package var ready: [RenditionKind: Amount] = [:]
    package var failures: [RenditionFailure: Int] = [:]
    /// Work that waits, by priority.
    package var waiting: [PreviewOrder.Priority: Int] = [:]
    package var oldestWaitingAt: Timestamp?

    package init() {}

    package var bytes: Int64 { ready.values.reduce(0) { $0 + $1.bytes } }
}
