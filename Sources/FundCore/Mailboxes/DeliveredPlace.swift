/// A message of a mailbox that was stored before.
package struct DeliveredPlace: Sendable, Hashable {
    /// `SourceReference.place` of the delivery.
    package var place: String
    /// Size in bytes as the server announced it then; nil when it announced none.
    package var announcedBytes: Int64?
    /// Only its header was fetched, since it exceeded the size limit of that time.
    package var isRefusedUnseen: Bool
    /// It is in a fund now. False: it is kept as misrouted or rejected, or an administrator rejected it.
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
