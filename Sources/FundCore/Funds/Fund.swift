/// A named folder that belongs to one user.
package struct Fund: Sendable, Hashable {
    package typealias ID = FundCore.ID<Fund>
    package var id: ID
    package var owner: User.ID
    package var name: String
    package var aliases: [String]
    /// The fund that mail with this name found until the change which gave it, because it was its name before; nil for
    /// none. See `FundRows`.
    package var tookNameFrom: String?

    package init(id: ID, owner: User.ID, name: String, aliases: [String] = []) {
        self.id = id
        self.owner = owner
        self.name = name
        self.aliases = aliases
    }
}
