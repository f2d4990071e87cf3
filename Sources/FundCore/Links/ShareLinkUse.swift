/// One use of a share link by a person outside.
package struct ShareLinkUse: Sendable, Hashable {
    package typealias ID = FundCore.ID<ShareLinkUse>

    /// A file that came by an upload link.
    package struct File: Sendable, Hashable {
        /// Its id; it may be gone by now.
        package var id: FileEntry.ID
        /// Its name as it was stored.
        package var name: String
        /// Bytes.
        package var size: Int64

        package init(id: FileEntry.ID, name: String, size: Int64) {
            (self.id, self.name, self.size) = (id, name, size)
        }
    }

    package var id: ID
    package var at: Timestamp
    package var visitor: ShareVisitor
    /// The file that was put; nil for an opening.
    package var file: File?

    package init(id: ID, at: Timestamp, visitor: ShareVisitor, file: File? = nil) {
        self.id = id
        self.at = at
        self.visitor = visitor
        self.file = file
    }
}

/// A person who uses a share link, as far as anything is known of them.
package struct ShareVisitor: Sendable, Hashable {
    /// Unicode scalars of a name.
    package static let maxNameLength = 200

    /// The name or address that they typed; nil for none. Nothing proves it.
    package var name: String?
    /// Their address in the network, as `ClientAddress` writes it.
    package var network: String

    package init(name: String?, network: String) { (self.name, self.network) = (name, network) }
}
