/// The funds that administrators want to see.
package struct FundFilter: Sendable, Hashable {
    /// Nil is all owners.
    package var owner: User.ID?
    /// Part of the name, of an alias or of the owner's address. Letters of ASCII are compared without regard to case.
    package var words: String?
    package var includesArchived: Bool

    package init(owner: User.ID? = nil, words: String? = nil, includesArchived: Bool = false) {
        self.owner = owner
        self.words = words
        self.includesArchived = includesArchived
    }
}
