/// A place of files and folders: the top of a fund, or a folder in it.
package struct LibraryPlace: Sendable, Hashable {
    package var fund: Fund.ID
    package var folder: FolderEntry.ID?

    package init(fund: Fund.ID, folder: FolderEntry.ID? = nil) {
        self.fund = fund
        self.folder = folder
    }
}
