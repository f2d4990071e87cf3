/// A named item of a user's library.
package enum LibraryItem: Sendable, Hashable {
    case fund(FundEntry)
    case folder(FolderEntry)
    case file(FileEntry)

    package var itemID: LibraryItemID {
        switch self {
        case .fund(let fund): .fund(fund.id)
        case .folder(let folder): .folder(folder.id)
        case .file(let file): .file(file.id)
        }
    }
}
