/// The most that people's libraries may hold, in bytes. What stands already is never touched by a lower limit: it only
/// keeps more from being added.
package struct StorageLimits: Sendable, Hashable {
    /// For each person who has no limit of their own (`StorageQuota`); nil for no limit.
    package var person: Int64?
    /// For the libraries of all people together; nil for no limit.
    package var store: Int64?

    package static let none = StorageLimits()

    package init(person: Int64? = nil, store: Int64? = nil) { (self.person, self.store) = (person, store) }

    /// Percent of a limit from which on people are warned.
    package static let warningPercent: Int64 = 90

    /// Whether so much is used that people should know before nothing can be added.
    package static func isNearlyFull(_ used: Int64, of limit: Int64) -> Bool {
        percent(used, of: limit) >= warningPercent
    }

    /// The used part of a limit, rounded down; 100 of no room at all.
    package static func percent(_ used: Int64, of limit: Int64) -> Int64 {
        guard limit > 0 else { return 100 }
        return Int64(Double(used) / Double(limit) * 100)
    }
}
