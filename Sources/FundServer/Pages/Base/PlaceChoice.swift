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
}
