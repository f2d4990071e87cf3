internal import FundCore

/// Places to which something can be moved, as a form names them: `12` for the top of a fund, `12-34` for a folder in
/// it.
enum PlaceChoice {
    static func place(_ text: String) -> LibraryPlace? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { QueryText.number($0) }
        guard (1...2).contains(parts.count), let fund = parts[0], fund > 0 else { return nil }
        guard parts.count == 2 else { return LibraryPlace(fund: Fund.ID(fund)) }
        return parts[1].flatMap { $0 > 0 ? LibraryPlace(fund: Fund.ID(fund), folder: FolderEntry.ID($0)) : nil }
    }

    static func text(_ place: LibraryPlace) -> String {
        place.folder.map { "\(place.fund)-\($0)" } ?? "\(place.fund)"
    }

    /// The folders beside and above, then all funds. Emails lie in funds alone.
    static func all(
        around place: LibraryPlace, without item: LibraryItemID, _ call: PageCall
    ) async throws -> [PageModel] {
        let user = try call.userID
        var choices: [PageModel] = []
        func add(_ place: LibraryPlace, _ text: String) {
            choices.append(["value": self.text(place), "text": text])
        }
        if item.kind != .email {
            if let folder = place.folder, let parent = try await call.library.folder(folder, of: user).parent {
                add(LibraryPlace(fund: place.fund, folder: parent), call.words("place.up"))
            }
            for child in try await call.library.children(of: place, by: ItemOrder(), PageQuery(), of: user).items {
                if case .folder(let folder) = child, .folder(folder.id) != item {
                    add(LibraryPlace(fund: folder.fund, folder: folder.id), call.words("place.folder", folder.name))
                }
            }
        }
        for fund in try await call.library.funds(of: user, PageQuery()).items
        where LibraryPlace(fund: fund.id) != place {
            add(LibraryPlace(fund: fund.id), call.words("place.fund", fund.name))
        }
        return choices
    }
}
