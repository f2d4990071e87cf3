/// A folder or file of a place, with what a list shows beside its name.
package struct PlaceRow: Sendable, Hashable {
    package var item: LibraryItem
    /// The email that brought a file; nil for anything else, and when that is deleted.
    package var email: EmailSummary?
    /// Set for a file that has other versions in the same place.
    package var versions: FileVersions?

    package init(_ item: LibraryItem, email: EmailSummary? = nil, versions: FileVersions? = nil) {
        (self.item, self.email, self.versions) = (item, email, versions)
    }
}

/// The files of a place whose names differ by a number alone: `report.pdf`, `report(1).pdf`, `report(2).pdf`. They came
/// under one name, and a list shows them as one stack.
package struct FileVersions: Sendable, Hashable {
    /// Limit of the versions of one name: more are no versions but a series, and are listed one by one.
    package static let maxCount = 100

    /// All of them, what came last first; two at least.
    package var files: [FileEntry]
    /// Index of the row's own file among them.
    package var index: Int

    package init(files: [FileEntry], index: Int) { (self.files, self.index) = (files, index) }

    /// True for the version that came last, which stands for the others.
    package var isLatest: Bool { index == 0 }
    /// Number of the row's own file: 1 for the version that came first.
    package var number: Int { files.count - index }
    /// True when all versions have the same bytes: it is one content that came several times.
    package var isOneContent: Bool { Set(files.map(\.digest)).count == 1 }
}
