/// A drive as administrators see it.
package struct OwnedDrive: Sendable, Hashable {
    package var drive: Drive
    /// The address of its owner.
    package var owner: String

    package init(drive: Drive, owner: String) { (self.drive, self.owner) = (drive, owner) }
}
