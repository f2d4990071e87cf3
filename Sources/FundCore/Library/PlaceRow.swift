/// A folder or file of a place, with what a list shows beside its name.
package struct PlaceRow: Sendable, Hashable {
    package var item: LibraryItem
    /// The email that brought a file; nil for anything else, and when that is deleted.
    package var email: EmailSummary?
    /// Set for a file that stands for other versions of it in the same place.
    package var versions: FileVersions?

    package init(_ item: LibraryItem, email: EmailSummary? = nil, versions: FileVersions? = nil) {
        (self.item, self.email, self.versions) = (item, email, versions)
    }
}

/// Files of a place that a list shows as one stack: their names differ by a number alone (`report.pdf`,
/// `report(1).pdf`, `report(2).pdf`), for they came under one name, or they have the same bytes, whatever they are
/// called, or one of the two joins them.
package struct FileVersions: Sendable, Hashable {
    /// Limit of the versions of one file: more are no versions but a series, and are listed one by one.
    package static let maxCount = 50

    /// All of them, what came last first; two at least.
    package var files: [FileEntry]

    package init(files: [FileEntry]) { self.files = files }

    /// The versions that came before the latest, which stands for them.
    package var older: ArraySlice<FileEntry> { files.dropFirst() }
    /// True when all versions have the same bytes: it is one content that came several times.
    package var isOneContent: Bool { Set(files.map(\.digest)).count == 1 }
}
