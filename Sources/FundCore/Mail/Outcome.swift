/// The outcome of a message. Raw values are stored in the database and written as JSON.
package enum Outcome: String, Sendable, Hashable, CaseIterable, Codable {
    case filed, misrouted, rejected, duplicate
}
