/// Work that is being done.
package struct PreviewJob: Sendable, Hashable {
    package typealias ID = FundCore.ID<PreviewJob>
    package var id: ID
    package var order: PreviewOrder
    /// From 1.
    package var attempt: Int
    package var family: TrueType.Family?

    package init(id: ID, order: PreviewOrder, attempt: Int, family: TrueType.Family?) {
        self.id = id
        self.order = order
        self.attempt = attempt
        self.family = family
    }
}
