/// The wanted entries of the audit trail; all as long as nothing is set.
package struct AuditFilter: Sendable, Hashable {
    /// Part of the address or the name of who did it. Letters of ASCII are compared without regard to case, here and in
    /// `subject`.
    package var actor: String?
    /// An action, or what stands before a dot of it: `misroute` admits `misroute.file`, and `misr` nothing.
    package var action: String?
    /// Part of what it was done to.
    package var subject: String?
    /// Time of the first entry.
    package var since: Timestamp?
    /// Time before which entries end.
    package var until: Timestamp?

    package init() {}
}
