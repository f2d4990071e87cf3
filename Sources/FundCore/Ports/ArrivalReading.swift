/// The things that came into all funds of a user, see `FileLibrary`.
package protocol ArrivalReading: Sendable {
    /// Emails and uploads of funds that are there, what came last first. `notFound` for a fund that is not the user's.
    func arrivals(_ query: ArrivalQuery, of user: User.ID) async throws -> ListPage<Arrival>
    /// The latest visit to any fund of the user that is there, see `FundLibrary.noteVisit`; nil before the first.
    func lastVisit(of user: User.ID) async throws -> Timestamp?
    /// Notes that the user has seen what is in all their funds, with `email` up to that one.
    func noteVisits(upTo email: EmailSummary.ID?, of user: User.ID) async throws
}
