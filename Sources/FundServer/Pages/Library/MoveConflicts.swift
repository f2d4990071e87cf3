internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// An item that stayed where it was.
struct RefusedItem {
    var item: LibraryItemID
    var why: String
    /// Nil where no name was in the way.
    var conflict: NamePair?
}

/// Two things of one name: what is to be put somewhere, and what stands there.
struct NamePair {
    var mine: LibraryItem
    var other: LibraryItem
}

/// The outcome for many items of which some were refused.
struct MoveOutcome {
    static let maxShown = NamedItems.maxNames

    let isCopy: Bool
    let place: LibraryPlace
    private(set) var done = 0
    /// Items that were there already.
    private(set) var unmoved = 0
    /// Items that the person left where they were, since their names were taken.
    var skipped = 0
    /// Items that an undo leaves where they were put since.
    var changed = 0
    var refused: [RefusedItem] = []
    /// The moves that the button beside the outcome takes back, as long as that is all of them.
    private var moved: [LibraryItemID] = []
    private var from: LibraryPlace?
    private var canUndo = true
    private var hasEarlier = false

    init(isCopy: Bool, to place: LibraryPlace) { (self.isCopy, self.place) = (isCopy, place) }

    var conflicts: [RefusedItem] { refused.filter { $0.conflict != nil } }

    /// Items that were moved before the question about the others was asked.
    mutating func add(earlier: UndoOffer?) {
        guard case .moveBack(let items, let place, _) = earlier?.act else { return }
        (moved, from, hasEarlier) = (items.items, place, true)
    }

    /// - Parameter put: nil for an item that was there already.
    mutating func add(_ item: LibraryItemID, _ put: PutItem?, isReplacing: Bool) {
        guard let put else {
            unmoved += 1
            return
        }
        done += 1
        canUndo = canUndo && put.isNamedAsBefore && !isReplacing && put.from != nil && (from ?? put.from) == put.from
        from = from ?? put.from
        moved.append(item)
    }

    private var undo: UndoOffer.Act? {
        guard !isCopy, canUndo, let from, !moved.isEmpty else { return nil }
        return .moveBack(ItemSelection(items: moved), to: from, from: place)
    }

    /// The moves that were made, for the question about the others.
    func earlier(_ call: PageCall) throws -> String? { try undo.flatMap { try UndoOffer($0, call).text(call) } }

    /// Fields for the address of the next page; nil when nothing was done.
    func fields(_ call: PageCall) throws -> String? {
        guard done > 0 || hasEarlier else {
            return changed > 0
                ? "done=changed-since" : unmoved > 0 ? "done=unmoved" : skipped > 0 ? "done=skipped" : nil
        }
        if changed > 0 { return "done=changed-partly" }
        return "done=\(isCopy ? "copied" : "moved")" + (try UndoOffer.field(undo, call))
    }

    func text(_ words: Words) -> String {
        let done = words.count("items", done)
        return words(isCopy ? "copy.partly" : "move.partly", done, words.count("items", refused.count))
    }
}

extension PageRoute {
    /// Nil where nothing of the name stands there: a folder cannot take the place of what holds it.
    static func conflictPair(_ item: LibraryItemID, _ place: LibraryPlace, _ call: PageCall) async throws -> NamePair? {
        let user = try call.userID
        let mine: LibraryItem
        switch item {
        case .file(let id): mine = .file(try await call.library.file(id, of: user))
        case .folder(let id): mine = .folder(try await call.library.folder(id, of: user))
        case .fund, .email, .note: return nil
        }
        guard let other = try await call.library.item(named: mine.name, in: place, of: user) else { return nil }
        return NamePair(mine: mine, other: other)
    }

    /// The question what becomes of items whose names are taken, with both by date and size: each for itself, or all.
    static func conflictPage(_ outcome: MoveOutcome, _ form: FieldText, _ call: PageCall) async throws -> Response {
        let (conflicts, words) = (outcome.conflicts, call.words)
        let shown = conflicts.prefix(MoveOutcome.maxShown)
        let trail = try await FolderTrail(to: outcome.place, call)
        let fund = try await call.library.fund(outcome.place.fund, of: try call.userID)
        var model: PageModel = [
            "items": outcome.refused.map { ItemSelection.key($0.item) }, "at": PlaceChoice.text(outcome.place),
            "act": outcome.isCopy ? "copy" : "move", "back": call.localPath(form["back"]) ?? "/library",
            "fundName": fund.name, "placeHue": FundHue.name(fund.id), "folderName": trail.name.orAbsent,
            "conflicts": shown.compactMap { refused in
                refused.conflict.map { row(refused.item, $0, call) }
            },
            "hasMore": shown.count < conflicts.count, "isMany": conflicts.count > 1,
            // Names that are not shown cannot be answered one by one.
            "canEach": conflicts.count > 1 && shown.count == conflicts.count,
        ]
        model["earlier"] = try outcome.earlier(call)
        let others = outcome.refused.filter { $0.conflict == nil }
        let names = try await NamedItems(others.map(\.item), call).names
        model["refused"] = zip(names, others).map { ["name": $0, "why": $1.why] as PageModel }
        model["hasRefused"] = !others.isEmpty
        if outcome.done > 0 { model["partly"] = outcome.text(words) }
        let title = words.count("names", conflicts.count)
        return call.page("conflict", model, title: title, status: .conflict)
    }

    private static func row(_ item: LibraryItemID, _ pair: NamePair, _ call: PageCall) -> PageModel {
        let name = FileNameParts(shown: pair.mine.name)
        return [
            "key": ItemSelection.key(item), "stem": name.stem, "ending": name.suffix,
            "mine": side(pair.mine, call), "other": side(pair.other, call),
        ]
    }

    private static func side(_ item: LibraryItem, _ call: PageCall) -> PageModel {
        switch item {
        case .file(let file):
            ["time": call.formats.exactTime(file.modifiedAt), "size": call.formats.size(file.size)]
        case .folder(let folder):
            ["time": call.formats.exactTime(folder.modifiedAt), "size": call.words("kind.folder")]
        case .fund: [:]
        }
    }
}
