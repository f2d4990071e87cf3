/// A change to a user by an administrator; nil leaves a field.
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
