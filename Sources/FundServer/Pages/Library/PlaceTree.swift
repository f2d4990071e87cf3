internal import FundHTTP
internal import FundCore

/// The places to which something can be moved, as a tree of which one branch is open: all funds, and in one of them the
/// folders down to the place that was opened. Emails lie in funds alone.
struct PlaceTree {
    /// Steps by which rows are indented at most.
    private static let maxIndent = 6
    /// The value of a button that closes all branches.
    private static let nothing = "none"

    private(set) var model: PageModel

    /// - Parameters:
    ///   - items: what is moved: no folder goes into itself.
    ///   - first: the place that is open when the form says nothing.
    init(
        of items: Set<LibraryItemID>, from first: LibraryPlace, isMail: Bool, _ form: FieldText, _ call: PageCall
    ) async throws {
        let asked = form["open"] ?? form["beside"] ?? form["at"]
        // Also for a place that is gone by now.
        let opened = asked == Self.nothing ? nil : asked.flatMap(PlaceChoice.place) ?? first
        let chosen = form["at"].flatMap(PlaceChoice.place)
        let branch = Branch(
            items: items, opened: isMail ? nil : opened, chosen: chosen, present: first, isMail: isMail, form: form,
            call: call)
        model = ["beside": asked == Self.nothing ? Self.nothing : opened.map(PlaceChoice.text).orAbsent]
        try await branch.addRows(to: &model)
    }

    private struct Branch {
        let items: Set<LibraryItemID>
        let opened, chosen: LibraryPlace?
        let present: LibraryPlace
        let isMail: Bool
        let form: FieldText
        let call: PageCall

        func addRows(to model: inout PageModel) async throws {
            let query = PageQuery(
                limit: PageRoute.maxPlaces, cursor: try call.opened(form["more-funds"], of: "funds"))
            let page = try await call.library.funds(of: try call.userID, query)
            var funds = page.items
            // The one that is open stands there, wherever it comes in the list.
            if let opened, !funds.contains(where: { $0.id == opened.fund }) {
                funds.insert(try await call.library.fund(opened.fund, of: try call.userID), at: 0)
            }
            let trail = if let opened { try await FolderTrail.folders(to: opened, call) } else { [FolderEntry]() }
            var rows: [PageModel] = []
            for fund in funds {
                let isOpen = opened?.fund == fund.id
                var row = row(
                    LibraryPlace(fund: fund.id), fund.name, depth: 0, isOpen: isOpen, closesTo: PlaceTree.nothing)
                (row["isFund"], row["hue"]) = (true, FundHue.name(fund.id))
                rows.append(row)
                if isOpen { model["nextFolders"] = try await addFolders(to: &rows, down: trail) }
            }
            model["rows"] = rows
            model["nextFunds"] = try call.sealed(page.next, of: "funds")
            // One fund without folders leaves nothing to choose.
            let isOnly = rows.count == 1 && opened != nil && page.next == nil && model["nextFolders"] == nil
            model["only"] = (isOnly ? funds.first.map { PlaceChoice.text(LibraryPlace(fund: $0.id)) } : nil).orAbsent
        }

        /// - Returns: the cursor behind the folders of the innermost place; nil when that is all of them.
        private func addFolders(to rows: inout [PageModel], down trail: [FolderEntry]) async throws -> String? {
            guard let opened else { return nil }
            var (next, place): (String?, LibraryPlace) = (nil, LibraryPlace(fund: opened.fund))
            // Where the folders of the place before that go on, in its rows.
            var index = rows.count
            for depth in 0...trail.count {
                let isInnermost = depth == trail.count
                let list = "folders \(PlaceChoice.text(place))"
                let cursor = isInnermost && form["open"] == nil ? try call.opened(form["more-folders"], of: list) : nil
                let page = try await call.library.children(
                    of: place, by: ItemOrder(), PageQuery(limit: PageRoute.maxPlaces, cursor: cursor),
                    of: try call.userID)
                var folders = page.items.compactMap { if case .folder(let folder) = $0 { folder } else { nil } }
                if !isInnermost, !folders.contains(where: { $0.id == trail[depth].id }) {
                    folders.insert(trail[depth], at: 0)
                }
                // A folder cannot go into itself.
                folders.removeAll { items.contains(.folder($0.id)) }
                let parent = PlaceChoice.text(place)
                rows.insert(
                    contentsOf: folders.map {
                        row(
                            LibraryPlace(fund: $0.fund, folder: $0.id), $0.name, depth: depth + 1,
                            isOpen: !isInnermost && $0.id == trail[depth].id, closesTo: parent)
                    }, at: index)
                // Folders stand first.
                if isInnermost, case .folder? = page.items.last { next = try call.sealed(page.next, of: list) }
                guard !isInnermost, let inner = folders.firstIndex(where: { $0.id == trail[depth].id }) else { break }
                index += inner + 1
                place.folder = trail[depth].id
            }
            return next
        }

        /// - Parameter parent: what is open when this is closed.
        private func row(
            _ place: LibraryPlace, _ name: String, depth: Int, isOpen: Bool, closesTo parent: String
        ) -> PageModel {
            [
                "place": PlaceChoice.text(place), "name": name, "indent": "\(min(depth, PlaceTree.maxIndent))",
                "isChosen": chosen == place, "isPresent": place == present, "isFund": false, "hue": "",
                "canOpen": !isMail, "isOpen": isOpen, "toggle": isOpen ? parent : PlaceChoice.text(place),
            ]
        }
    }
}
