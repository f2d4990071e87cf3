internal import FundCore

/// A list that a page shows, beside which one of its items may be opened.
enum ShownList {
    case files(LibraryPlace, FilesView)
    /// All that a fund has.
    case all(Fund.ID, ContentsView)
    case mail(Fund.ID, ListFilter)
    case notes(Fund.ID)
    case search(SearchForm)
    /// All that arrived, with the fields of its filter.
    case latest(fields: [(name: String, value: String?)])
    case favourites
    case trash(TrashPart)
    /// The items of an archived fund, or of a folder in it.
    case archived(LibraryPlace)

    /// Field of an address that names the item which is opened: `f42`, `m7`, `n3`.
    static let openField = "open"

    /// Path of its page, for a form whose fields are the query.
    var path: String {
        switch self {
        case .files(let place, _): "/library/funds/\(place.fund)"
        case .all(let fund, _): LibraryPaths.fund(fund)
        case .mail(let fund, _): LibraryPaths.mail(fund)
        case .notes(let fund): "/library/funds/\(fund)/notes"
        case .search: "/library/search"
        case .latest: PageRoute.latestPath
        case .favourites: PageRoute.favouritesPath
        case .trash: PageRoute.trashPath
        case .archived(let place): "\(PageRoute.archivePath)/\(place.fund)"
        }
    }

    /// Whether what it lists is deleted: that is looked at, and restored.
    var isOfDeleted: Bool { if case .trash = self { true } else { false } }
    /// Whether what it lists is in an archived fund: that is looked at.
    var isOfArchived: Bool { if case .archived = self { true } else { false } }

    /// Path below which the bytes of a file of this list are, and what is made of them.
    func contents(of file: FileEntry.ID) -> String {
        switch self {
        case .trash: "\(PageRoute.trashPath)/files/\(file)"
        case .archived: "\(PageRoute.archivePath)/files/\(file)"
        case .files, .all, .mail, .notes, .search, .latest, .favourites: "/library/files/\(file)"
        }
    }

    private var fields: [(name: String, value: String?)] {
        switch self {
        case .files(let place, let view): [("folder", place.folder?.description)] + view.fieldsOfRows
        case .mail(_, let filter): filter.fields
        case .all(_, let view): view.fields
        case .notes, .favourites: []
        case .search(let form): form.fields
        case .latest(let fields): fields
        case .trash(let part): part.fields
        case .archived(let place): [("folder", place.folder?.description)]
        }
    }

    /// The list alone.
    var address: String { path + PageQueryText.text(fields) }

    /// Fields of the query with which the list has an item beside it.
    func fields(of item: LibraryItemID) -> [(name: String, value: String?)] {
        fields + [(Self.openField, item.openKey)]
    }

    /// The list with an item beside it.
    /// - Parameter more: fields about the item, such as its page.
    func address(of item: LibraryItemID, _ more: [(name: String, value: String?)] = []) -> String {
        path + PageQueryText.text(fields(of: item) + more)
    }

    /// The address for a link: its fragment scrolls a page that is loaded whole to the row of the item.
    func link(to item: LibraryItemID, _ more: [(name: String, value: String?)] = []) -> String {
        switch self {
        case .files, .mail, .notes: address(of: item, more) + "#r\(item.number)"
        // Their rows are of several kinds.
        case .all, .search, .latest, .favourites, .trash, .archived: address(of: item, more)
        }
    }

    /// Whether an item may stand in a list of this kind.
    func mayHold(_ item: LibraryItemID) -> Bool {
        switch self {
        case .files: item.kind == .file
        case .mail: item.kind == .email
        case .notes: item.kind == .note
        case .all, .search, .latest, .favourites, .archived: item.openKey != nil
        case .trash(.items): item.kind == .file
        case .trash(.texts): item.kind == .email || item.kind == .note
        }
    }

    /// Fields for the item's own address, from which one gets back to this list.
    var trail: [(name: String, value: String?)] {
        if case .search = self { return [("in", "search")] + fields }
        return fields
    }
}

extension LibraryItemID {
    /// Its name in an address; nil for what is not opened beside a list.
    var openKey: String? {
        switch self {
        case .file(let id): "f\(id)"
        case .email(let id): "m\(id)"
        case .note(let id): "n\(id)"
        case .fund, .folder: nil
        }
    }

    /// The item that an address names; nil for other text.
    init?(openKey text: some StringProtocol) {
        guard let number = QueryText.number(text.dropFirst()), number > 0 else { return nil }
        switch text.first {
        case "f": self = .file(.init(number))
        case "m": self = .email(.init(number))
        case "n": self = .note(.init(number))
        default: return nil
        }
    }
}
