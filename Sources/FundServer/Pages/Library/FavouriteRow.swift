internal import FundCore

/// A row of favourites.
enum FavouriteRow {
    /// For the template `favouriterows`, which leads to the own pages of things.
    static func model(_ favourite: FavouriteEntry, _ call: PageCall) -> PageModel {
        let kind = favourite.item.kind
        let own = "/library/\(kind.name)s/\(favourite.item.number)"
        return [
            "type": kind.name, "id": "\(favourite.item.number)", "name": call.words.title(favourite.name, of: kind),
            "isFavourite": true,
            "isFund": kind == .fund, "kind": call.words("kind.\(kind.name)"),
            "href": kind == .fund ? LibraryPaths.fund(favourite.fund) : own, "fundName": favourite.fundName,
            "hue": FundHue.name(favourite.fund), "time": call.formats.time(favourite.date),
        ]
    }

    /// For the template `favourites`, beside whose list all but funds are opened.
    /// - Parameter badges: of the files of the section.
    static func model(
        _ favourite: FavouriteEntry, _ badges: FileBadges, _ opened: LibraryItemID?, _ call: PageCall
    ) -> PageModel {
        var row = model(favourite, call)
        let (item, name) = (favourite.item, row.text("name") ?? "")
        let parts = item.kind == .file ? FileNameParts(shown: name) : nil
        let isMail = item.kind == .email
        let from = call.words.sender(favourite.sender, nil)
        row.merge([
            "key": ItemSelection.key(item), "isOpen": opened == item, "isFile": item.kind == .file, "isMail": isMail,
            "stem": parts?.stem ?? name, "ending": parts?.suffix ?? "",
            "sender": isMail ? .text(from) : PageValue.flag(false),
            "face": Initials.text(of: from), "faceHue": Initials.hue(of: from),
            "icon": isMail ? PageValue.flag(false) : item.kind.icon.orAbsent,
        ])
        if item.openKey != nil { row["href"] = ShownList.favourites.link(to: item) }
        if let content = favourite.content {
            row.merge(
                badges.model(name, favourite.contentType ?? "", content.digest, at: "/library/files/\(item.number)"))
        }
        return row
    }
}
