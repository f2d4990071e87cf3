internal import FundHTTP
internal import FundCore

/// The act that the button beside its outcome takes back. The address of the next page carries it: a restoration as
/// plain text, the others sealed: a link made elsewhere has no button that moves or renames. Those say what the act
/// made, too, and take back nothing else: an older page does not undo what was done since.
enum UndoOffer {
    /// Field of a form that names the place to which the act moved the items.
    static let placeField = "moved-to"
    /// Field of a form with the name that the act gave.
    static let nameField = "renamed-to"

    /// Deleted items come back.
    case restore(ItemSelection)
    /// Moved items go back to where they lay.
    case moveBack(ItemSelection, to: LibraryPlace, from: LibraryPlace)
    /// A renamed item gets its former name.
    case nameBack(LibraryItemID, to: String, from: String)

    private static let list = "undo"

    /// Nil for text that says nothing, or that was not made for this user.
    init?(_ text: String?, _ call: PageCall) {
        guard let text else { return nil }
        if let items = ItemSelection(text) {
            self = .restore(items)
            return
        }
        guard let opened = try? call.opened(text, of: Self.list) else { return nil }
        let parts = opened.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return nil }
        switch parts[0] {
        case "move":
            let places = parts[1].split(separator: ":").compactMap { PlaceChoice.place(String($0)) }
            guard places.count == 2, let items = ItemSelection(parts[2]) else { return nil }
            self = .moveBack(items, to: places[0], from: places[1])
        case "name":
            // No name has a line end.
            let names = parts[2].split(separator: "\n").map(String.init)
            guard names.count == 2, let item = ItemSelection(parts[1])?.items.first else { return nil }
            self = .nameBack(item, to: names[0], from: names[1])
        default: return nil
        }
    }

    /// The value of the field `undo` of an address; nil for what does not fit into one.
    func text(_ call: PageCall) throws -> String? {
        switch self {
        case .restore(let items): return items.fitsAddress ? items.text : nil
        case .moveBack(let items, let place, let made):
            guard items.fitsAddress else { return nil }
            let places = "\(PlaceChoice.text(place)):\(PlaceChoice.text(made))"
            return try call.sealed("move \(places) \(items.text)", of: Self.list)
        case .nameBack(let item, let name, let made):
            guard PageCall.fitsAddress(name), PageCall.fitsAddress(made) else { return nil }
            return try call.sealed("name \(ItemSelection(items: [item]).text) \(name)\n\(made)", of: Self.list)
        }
    }

    /// For the template `head`: where its form is sent, and what it says.
    var model: PageModel {
        switch self {
        case .restore(let items): Self.model("/library/restore", items.fields)
        case .moveBack(let items, let place, let made):
            Self.model(
                "/library/place",
                [("at", PlaceChoice.text(place)), ("act", "move"), (Self.placeField, PlaceChoice.text(made))]
                    + items.fields)
        case .nameBack(let item, let name, let made):
            Self.model(
                "/library/items/\(item.kind.name)/\(item.number)/name", [("name", name), (Self.nameField, made)])
        }
    }

    /// The model of an act at the desk, whose number says all.
    static func model(of act: DeskAct.ID) -> PageModel { model("/desk/acts/\(act)/undo") }

    private static func model(_ action: String, _ fields: [(name: String, value: String)] = []) -> PageModel {
        ["action": action, "fields": fields.map { ["field": $0.name, "value": $0.value] as PageModel }]
    }
}
