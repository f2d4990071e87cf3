internal import FundCore

/// Addresses of pages.
enum LibraryPaths {
    /// The list that opening a fund shows.
    static func fund(_ fund: Fund.ID) -> String { "/library/funds/\(fund)/all" }

    static func folder(_ folder: FolderEntry.ID, in fund: Fund.ID) -> String {
        "/library/funds/\(fund)?folder=\(folder)"
    }

    static func place(_ place: LibraryPlace) -> String {
        place.folder.map { folder($0, in: place.fund) } ?? "/library/funds/\(place.fund)"
    }

    /// Letters that the person wrote; those of a fund, if one is named.
    static func letters(of fund: Fund.ID?) -> String {
        PageRoute.lettersPath + PageQueryText.text([("fund", fund?.description)])
    }

    static func mail(_ fund: Fund.ID) -> String { "/library/funds/\(fund)/mail" }

    /// A path with a field of the query behind it, and without what the last act said there.
    static func with(_ path: String, _ field: String) -> String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let fields = parts.dropFirst().joined().split(separator: "&").filter {
            one in !["done=", "undo=", "as=", "letter=", "kept="].contains(where: one.hasPrefix)
        }
        return parts[0] + "?" + (fields.map(String.init) + [field]).joined(separator: "&")
    }

    /// The page of a place, ready for fields of the query.
    static func asked(_ place: LibraryPlace) -> String { with(self.place(place), "") }

    /// The page that shows the item, ready for fields of the query.
    static func holding(_ item: LibraryItemID, _ call: PageCall) async throws -> String {
        if case .fund(let id) = item { return with(fund(id), "") }
        guard item.kind != .email, let place = try await call.placed(item)?.place else { return "/library?" }
        return asked(place)
    }
}

extension PageCall {
    /// The name of an item and where it lies; nil for a fund or a note, which lies in no folder. Throws 404.
    func placed(_ item: LibraryItemID) async throws -> (name: String, place: LibraryPlace)? {
        let user = try userID
        switch item {
        case .folder(let id):
            let folder = try await library.folder(id, of: user)
            return (folder.name, LibraryPlace(fund: folder.fund, folder: folder.parent))
        case .file(let id):
            let file = try await library.file(id, of: user)
            return (file.name, LibraryPlace(fund: file.fund, folder: file.folder))
        case .email(let id):
            let email = try await library.email(id, of: user).summary
            return (words.subject(email.subject), LibraryPlace(fund: email.fund))
        case .fund, .note: return nil
        }
    }
}

extension PageRoute {
    /// Arrivals in all funds; also the page to which signing in leads.
    static let latestPath = "/library/latest"
    static let favouritesPath = "/library/favourites"
    static let trashPath = "/library/trash"
    static let archivePath = "/library/archive"
    /// Letters that the person wrote.
    static let lettersPath = "/library/letters"
    /// Share links of the person.
    static let linkPath = "/library/links"
    /// The page of a new link, which has the items in its query.
    static let newLinkPath = linkPath + "/new"
}
