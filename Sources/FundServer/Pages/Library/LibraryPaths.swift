internal import FundCore

/// Addresses of pages.
enum LibraryPaths {
    static func folder(_ folder: FolderEntry.ID, in fund: Fund.ID) -> String {
        "/library/funds/\(fund)?folder=\(folder)"
    }

    static func place(_ place: LibraryPlace) -> String {
        place.folder.map { folder($0, in: place.fund) } ?? "/library/funds/\(place.fund)"
    }

    static func mail(_ fund: Fund.ID) -> String { "/library/funds/\(fund)/mail" }

    /// With a field of the query behind it, and without what the last act said there.
    static func with(_ path: String, _ field: String) -> String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let fields = parts.dropFirst().joined().split(separator: "&").filter {
            !$0.hasPrefix("done=") && !$0.hasPrefix("undo=")
        }
        return parts[0] + "?" + (fields.map(String.init) + [field]).joined(separator: "&")
    }

    /// The page of a place, ready for fields of the query.
    static func asked(_ place: LibraryPlace) -> String { with(self.place(place), "") }

    /// The page that shows the item, ready for fields of the query.
    static func holding(_ item: LibraryItemID, _ call: PageCall) async throws -> String {
        let user = try call.userID
        switch item {
        case .fund(let id): return with("/library/funds/\(id)", "")
        case .folder(let id):
            let folder = try await call.library.folder(id, of: user)
            return asked(LibraryPlace(fund: folder.fund, folder: folder.parent))
        case .file(let id):
            let file = try await call.library.file(id, of: user)
            return asked(LibraryPlace(fund: file.fund, folder: file.folder))
        case .email, .note: return "/library?"
        }
    }
}
