/// The way out when a name is taken where a file or folder is to go.
package enum NameConflict: Sendable, Hashable {
    /// `alreadyExists`.
    case refuse
    /// `report(1).pdf`.
    case number
    /// The existing item is deleted (recoverably) first. A file that a file is copied or uploaded onto keeps its id and
    /// gets the new content; its old content is kept as a deleted file.
    case replace
}

/// The target of an upload, with the condition that must hold there.
package struct FileTarget: Sendable, Hashable {
    package var name: String
    package var place: LibraryPlace
    package var ifTaken: NameConflict
    /// The file that must stand under the name, else `conflict`. Checked in the transaction that writes, so that it
    /// holds against every other writer. Nil accepts anything.
    package var expected: ExpectedFile?
    /// Modification time in the owner's program; nil for the present.
    package var modifiedAt: Timestamp?

    package init(_ name: String, in place: LibraryPlace, ifTaken: NameConflict) {
        self.name = name
        self.place = place
        self.ifTaken = ifTaken
    }
}

/// The expected state of a name.
package enum ExpectedFile: Sendable, Hashable {
    case nothing
    /// With this content; nil accepts any content.
    case file(FileEntry.ID, ContentDigest?)
}
