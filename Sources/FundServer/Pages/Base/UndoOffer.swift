internal import FundHTTP
internal import FundCore

/// The act that the button beside its outcome takes back. The address of the next page carries it, sealed and for a
/// day: a link that was made elsewhere, or kept, has no button. It says what the act made, too, and takes back nothing
/// else: an older page does not undo what was done since.
struct UndoOffer {
    enum Act {
        /// Deleted items, or an archived fund, come back.
        case restore(ItemSelection)
        /// Moved items go back to where they lay.
        case moveBack(ItemSelection, to: LibraryPlace, from: LibraryPlace)
        /// A renamed item gets its former name.
        case nameBack(LibraryItemID, to: String, from: String)
        /// A dropped letter that waited before is sent after all.
        case sendAfterAll(OutboxLetter.ID)
        /// A deleted contact comes back.
        case restoreContact(Contact.ID)
    }

    private static let list = "undo"
    private static let lifetime = Duration.seconds(24 * 60 * 60)
    /// Field of a form that sends a letter only if it is dropped.
    private static let dropField = "is-dropped"
    /// Fields of a form that names the time at which the act had deleted the items, the place to which it moved them,
    /// and the name that it gave.
    private static let (timeField, placeField, nameField) = ("deleted-by", "moved-to", "renamed-to")

    let act: Act
    /// When the act was done.
    let time: Timestamp

    init(_ act: Act, _ call: PageCall) { (self.act, time) = (act, call.formats.now) }

    /// Nil for text that says nothing, that is older than a day, or that was not made for this user.
    init?(_ text: String?, _ call: PageCall) {
        guard let opened = try? call.opened(text, of: Self.list) else { return nil }
        let parts = opened.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, let time = QueryText.number(parts[0]).map({ Timestamp($0) }),
            call.formats.now - time < Self.lifetime
        else { return nil }
        self.time = time
        switch (parts[1], parts.count) {
        case ("restore", 3):
            guard let items = ItemSelection(parts[2]) else { return nil }
            act = .restore(items)
        case ("move", 4):
            let places = parts[2].split(separator: ":").compactMap { PlaceChoice.place(String($0)) }
            guard places.count == 2, let items = ItemSelection(parts[3]) else { return nil }
            act = .moveBack(items, to: places[0], from: places[1])
        case ("name", 4):
            // No name has a line end.
            let names = parts[3].split(separator: "\n").map(String.init)
            guard names.count == 2, let item = ItemSelection(parts[2])?.items.first else { return nil }
            act = .nameBack(item, to: names[0], from: names[1])
        case ("letter", 3):
            guard let letter = QueryText.number(parts[2]) else { return nil }
            act = .sendAfterAll(OutboxLetter.ID(letter))
        case ("contact", 3):
            guard let contact = QueryText.number(parts[2]) else { return nil }
            act = .restoreContact(Contact.ID(contact))
        default: return nil
        }
    }

    /// The value of the field `undo` of an address; nil for what does not fit into one.
    func text(_ call: PageCall) throws -> String? {
        let text: String
        switch act {
        case .restore(let items):
            guard items.fitsAddress else { return nil }
            text = "restore \(items.text)"
        case .moveBack(let items, let place, let made):
            guard items.fitsAddress else { return nil }
            text = "move \(PlaceChoice.text(place)):\(PlaceChoice.text(made)) \(items.text)"
        case .nameBack(let item, let name, let made):
            guard PageCall.fitsAddress(name), PageCall.fitsAddress(made) else { return nil }
            text = "name \(ItemSelection(items: [item]).text) \(name)\n\(made)"
        case .sendAfterAll(let letter): text = "letter \(letter)"
        case .restoreContact(let contact): text = "contact \(contact)"
        }
        return try call.sealed("\(time) \(text)", of: Self.list)
    }

    /// The field of an address that offers to take an act back, behind others; empty for what does not fit into one.
    static func field(_ act: Act?, _ call: PageCall) throws -> String {
        try act.flatMap { try UndoOffer($0, call).text(call) }.map { "&undo=\($0)" } ?? ""
    }

    // MARK: Its form

    /// For the template `head`: where its form is sent, and what it says.
    var model: PageModel {
        switch act {
        case .restore(let items): Self.model("/library/restore", [(Self.timeField, "\(time)")] + items.fields)
        case .moveBack(let items, let place, let made):
            Self.model(
                "/library/place",
                [("at", PlaceChoice.text(place)), ("act", "move"), (Self.placeField, PlaceChoice.text(made))]
                    + items.fields)
        case .nameBack(let item, let name, let made):
            Self.model(
                "/library/items/\(item.kind.name)/\(item.number)/name", [("name", name), (Self.nameField, made)])
        case .sendAfterAll(let letter):
            Self.model("/office/outbox/letters/\(letter)/retry", [(Self.dropField, "1")])
        case .restoreContact(let contact):
            Self.model("/library/contacts/\(contact)/restore", [(Self.timeField, "\(time)")])
        }
    }

    /// The model of an act at the desk, whose number says all.
    static func model(of act: DeskAct.ID) -> PageModel { model("/desk/acts/\(act)/undo") }

    private static func model(_ action: String, _ fields: [(name: String, value: String)] = []) -> PageModel {
        ["action": action, "fields": fields.map { ["field": $0.name, "value": $0.value] as PageModel }]
    }

    /// The time by which the items of a form were deleted that an undo restores; nil for a form that undoes nothing, as
    /// for the conditions.
    static func time(of form: FieldText) -> Timestamp? {
        form[timeField].flatMap { QueryText.number($0) }.map { Timestamp($0) }
    }

    /// Whether the form of an undo is about a letter that is no longer as the act left it.
    static func isStale(_ form: FieldText, for state: OutboxLetter.State) -> Bool {
        form[dropField] != nil && state != .dropped
    }

    /// The condition that an item lies where the act put it. Mail lies in no folder.
    static func placeCondition(of form: FieldText) -> ItemCondition? {
        guard let made = form[placeField].flatMap(PlaceChoice.place) else { return nil }
        return { state in
            switch state {
            case .item(.folder(let folder)): LibraryPlace(fund: folder.fund, folder: folder.parent) == made
            case .item(.file(let file)): LibraryPlace(fund: file.fund, folder: file.folder) == made
            case .email(let email): email.summary.fund == made.fund
            case .item(.fund), .note: false
            }
        }
    }

    /// The condition that an item has the name that the act gave.
    static func nameCondition(of form: FieldText) -> ItemCondition? {
        guard let made = form[nameField] else { return nil }
        return { state in
            switch state {
            case .item(.fund(let fund)): fund.name == made
            case .item(.folder(let folder)): folder.name == made
            case .item(.file(let file)): file.name == made
            case .email, .note: false
            }
        }
    }
}
