/// What an administrator changes about a user. What is nil stays as it is.
package struct UserChange: Sendable, Hashable {
    /// For display. An empty one takes the name away.
    package var name: String?
    package var isAdministrator: Bool?
    package var isDisabled: Bool?
    package var addedAddress: String?
    package var removedAddress: String?

    package init(
        name: String? = nil, isAdministrator: Bool? = nil, isDisabled: Bool? = nil, addedAddress: String? = nil,
        removedAddress: String? = nil
    ) {
        self.name = name
        self.isAdministrator = isAdministrator
        self.isDisabled = isDisabled
        self.addedAddress = addedAddress
        self.removedAddress = removedAddress
    }
}

/// Which funds administrators want to see.
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
