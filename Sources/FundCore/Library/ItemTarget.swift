/// The target of a file or folder.
package struct ItemTarget: Sendable {
    /// Looked up in the transaction that makes the change.
    package enum Place: Sendable, Hashable {
        /// The place at the moment of the change.
        case unchanged
        /// Into this folder, in whichever fund that lies at the moment of the change.
        case folder(FolderEntry.ID)
        case place(LibraryPlace)
    }

    package var place: Place
    /// Nil for the name that it has at the moment of the change.
    package var name: String?
    package var ifTaken: NameConflict

    package init(_ place: Place, name: String? = nil, ifTaken: NameConflict = .refuse) {
        self.place = place
        self.name = name
        self.ifTaken = ifTaken
    }
}
