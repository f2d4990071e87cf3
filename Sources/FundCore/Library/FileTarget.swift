/// Where an upload goes, and what must hold there.
package struct FileTarget: Sendable, Hashable {
    package var name: String
    package var place: LibraryPlace
    package var ifTaken: NameConflict
    /// What must stand under the name, else `conflict`. Checked in the transaction that writes, so that it holds
    /// against every other writer. Nil accepts anything.
    package var expected: ExpectedFile?
    /// As its owner's program has it; nil for now.
    package var modifiedAt: Timestamp?

    package init(_ name: String, in place: LibraryPlace, ifTaken: NameConflict) {
        self.name = name
        self.place = place
        self.ifTaken = ifTaken
    }
}

/// What stands under a name.
package enum ExpectedFile: Sendable, Hashable {
    case nothing
    /// With this content; nil accepts any content.
    case file(FileEntry.ID, ContentDigest?)
}
