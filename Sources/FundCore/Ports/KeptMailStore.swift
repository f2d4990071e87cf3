/// The part of the store that holds what could not be filed.
package protocol KeptMailStore: Sendable {
    /// Throws when there is no such entry or it has been resolved.
    func kept(_ misrouteID: MisrouteRecord.ID) async throws -> KeptMessage
    /// Spools a kept message, to be parsed again. Blocks. Throws when they are damaged.
    func spool(_ kept: KeptMessage) throws -> SpooledMessage
    /// Files a kept message: one barrier, one transaction.
    /// - Parameters:
    ///   - sender: whom routing has verified to be its sender by now; nil when an administrator chose its fund.
    ///   - act: of which it is a part, and with which it is undone.
    ///   - right: that of who files it. Throws `conflict` for an administrator who is none any more, `notFound` for a
    ///     message that its sender may not file.
    func resolve(
        _ misrouteID: MisrouteRecord.ID, staged: StagedMessage, sender: User.ID?, in act: DeskAct.ID,
        by right: FilingRight
    ) async throws -> StoredMessage
    /// Notes that another attempt to route it failed, and with which reason now.
    func updateRouting(_ misrouteID: MisrouteRecord.ID, decision: RoutingDecision) async throws
}
