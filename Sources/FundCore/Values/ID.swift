/// Names one person, fund, mail or other entity of the store. The ids of two kinds of entities are two types, so a
/// fund's id cannot stand where a user's belongs.
package struct ID<Entity>: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The primary key of its row: positive, and never used again.
    package let rawValue: Int64

    @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }

    @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// In decimal digits.
    package var description: String { String(rawValue) }

    @inlinable package static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }

    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ID: Comparable {
    /// Entities in the order in which they were made.
    @inlinable package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}
