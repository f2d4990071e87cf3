/// The role of a person in a fund. Raw values stand in the database: add them, never rename them.
package enum FundRole: String, Sendable, Hashable, CaseIterable {
    /// The one person to whom the fund belongs.
    case owner
}
