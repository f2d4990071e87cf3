internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// How the files of a place are shown: as the address says, else as this browser was told last.
struct FilesView {
    /// `grid.-size`: what the person chose, and no id.
    static let cookie = "fundmail-files"

    let isGrid: Bool
    let order: ItemOrder
    let filter: ListFilter
    private let isAsked: Bool

    /// Throws 400 for another word in the query. What is wrong in the cookie is passed over.
    init(_ query: QueryText, _ request: Request) throws {
        let kept = (Cookies.value(of: Self.cookie, in: request) ?? "").prefix(32).split(separator: ".")
        let asked: (key: ItemOrder.Key, isDescending: Bool)? = try query.sort()
        order =
            asked.map { ItemOrder($0.key, isDescending: $0.isDescending) }
            ?? kept.last.flatMap { ItemOrder(word: $0) } ?? ItemOrder()
        filter = try ListFilter(query)
        switch query.word("view") {
        case nil: isGrid = kept.first == "grid"
        case "grid": isGrid = true
        case "list": isGrid = false
        default: throw RequestError.invalid("view must be list or grid")
        }
        // A page that a script fetches shows this tab as it is, and chooses nothing for others.
        let isVisit = request.headers[.secFetchMode].map { $0 == "navigate" } ?? true
        isAsked = isVisit && (asked != nil || query.word("view") != nil)
    }

    /// Keeps what the address asked for.
    var headers: HTTPFields {
        guard isAsked else { return [:] }
        let value = "\(isGrid ? "grid" : "list").\(order.word)"
        return [.setCookie: "\(Self.cookie)=\(value); Path=/library; Max-Age=\(365 * 86400); HttpOnly; SameSite=Lax"]
    }

    /// For a script that fetches the list as it is shown here.
    var text: String { PageQueryText.text([("sort", order.word), ("view", isGrid ? "grid" : "list")]) }

    /// The fields of a file's address about the list that it stands in.
    var fieldsOfRows: [(name: String, value: String?)] {
        [("sort", order == ItemOrder() ? nil : order.word)] + filter.fields
    }

    /// The fields of the address of a place, but for order and view.
    func fields(of place: LibraryPlace) -> [(name: String, value: String?)] {
        [("folder", place.folder?.description)] + filter.fields
    }

    func sorts(_ place: LibraryPlace, _ call: PageCall) -> [PageModel] {
        ItemOrder.Key.allCases.map { key in
            let isChosen = order.key == key
            // A second press turns the order round.
            let next = ItemOrder(key, isDescending: isChosen && !order.isDescending)
            let query = PageQueryText.text(fields(of: place) + [("sort", next.word)])
            var model: PageModel = [
                "text": call.words("sort.\(key.rawValue)"), "address": "/library/funds/\(place.fund)\(query)",
                "isChosen": isChosen,
            ]
            if isChosen { model["arrow"] = order.isDescending ? "↓" : "↑" }
            return model
        }
    }

    func views(_ place: LibraryPlace, _ call: PageCall) -> [PageModel] {
        [("list", false), ("grid", true)].map { word, isGrid in
            let query = PageQueryText.text(fields(of: place) + [("view", word)])
            return [
                "text": call.words("view.\(word)"), "icon": word, "address": "/library/funds/\(place.fund)\(query)",
                "isChosen": isGrid == self.isGrid,
            ]
        }
    }
}

extension ItemOrder {
    /// The order that `sort` names; nil for other text.
    init?(word: some StringProtocol) {
        let isDescending = word.hasPrefix("-")
        guard let key = Key(rawValue: String(word.drop { $0 == "-" })) else { return nil }
        self.init(key, isDescending: isDescending)
    }

    var word: String { (isDescending ? "-" : "") + key.rawValue }
}
