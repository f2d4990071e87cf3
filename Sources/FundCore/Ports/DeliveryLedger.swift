/// A message that was seen in a mailbox before, and is durable here.
package struct DeliveredPlace: Sendable, Hashable {
    /// `SourceReference.place` of the delivery.
    package var place: String
    /// What the server said about its size then; nil when it said nothing.
    package var announcedBytes: Int64?
    /// Only its header was fetched, since it was larger than the limit of that day.
    package var isRefusedUnseen: Bool
    /// It is in a fund, since then or by now. False: it is kept here, misrouted or rejected, or somebody rejected it.
    package var isFiled: Bool
    /// See `SourceReference`.
    package var hasSizeMismatch: Bool

    package init(
        place: String, announcedBytes: Int64? = nil, isRefusedUnseen: Bool = false, isFiled: Bool = true,
        hasSizeMismatch: Bool = false
    ) {
        self.place = place
        self.announcedBytes = announcedBytes
        self.isRefusedUnseen = isRefusedUnseen
        self.isFiled = isFiled
        self.hasSizeMismatch = hasSizeMismatch
    }
}

/// Which messages of a mailbox were delivered before, so that what stays on the server is not fetched again.
package protocol DeliveryLedger: Sendable {
    /// Every durable delivery from `mailbox` that has not departed; in any order, each once, the latest of a place. One query for a whole mailbox: 100,000 of them are usual. Blocks.
    func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace]
    /// These are no longer on the server: when the server uses one of the places again, it is another message. Blocks.
    func noteDeparted(_ places: [String], in mailbox: String) throws
}
