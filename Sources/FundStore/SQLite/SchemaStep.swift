/// One step of a schema to the next, which a database takes once.
package struct SchemaStep: Sendable, Equatable {
    /// Number of the schema that the step leads to; from 1 on.
    package let number: Int
    /// Name under which the database records it.
    let name: String
    /// Subject of the tables and columns that it brings, for people.
    package let title: String
    /// Whether it changes or removes rows that were there; the others only add.
    package let rewrites: Bool
}
