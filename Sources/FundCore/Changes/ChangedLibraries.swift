/// Users whose libraries changed.
package struct ChangedLibraries: Sendable, Hashable {
    /// Number of the latest change of any library: grows with each.
    package var number: Int64
    package var owners: Set<User.ID>

    package init(number: Int64, owners: Set<User.ID>) {
        self.number = number
        self.owners = owners
    }
}
