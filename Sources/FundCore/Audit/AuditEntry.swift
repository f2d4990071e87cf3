/// An entry of the audit trail.
package struct AuditEntry: Sendable, Hashable {
    package typealias ID = FundCore.ID<AuditEntry>
    package var id: ID
    package var at: Timestamp
    package var actor: String
    /// `user.add`, `fund.rename`, `misroute.file` …
    package var action: String
    /// The thing that was changed: an address, a fund, a misroute's number.
    package var subject: String
    package var detail: String

    package init(id: ID, at: Timestamp, actor: String, action: String, subject: String, detail: String) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}

extension AuditEntry {
    /// Titles of the columns that `cells` fills.
    package static let columns = ["id", "time", "actor", "action", "subject", "detail"]

    /// - Parameter time: when it was, as the table writes times.
    package func cells(at time: String) -> [String] { ["\(id)", time, actor, action, subject, detail] }
}
