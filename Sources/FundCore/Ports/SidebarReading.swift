/// The part of the store that every page asks, see `FileLibrary`.
package protocol SidebarReading: Sendable {
    /// The sidebar of a user, in one view of the store. Takes milliseconds for hundreds of funds.
    /// - Parameters:
    ///   - maxFunds: limit of the funds that are named and counted.
    ///   - withOffice: whether the user is an administrator.
    func sidebar(of user: User.ID, atMost maxFunds: Int, withOffice: Bool) async throws -> SidebarSummary
}
