internal import FundHTTP
internal import FundCore

/// The folders into which something can go in drives, as a tree of which one branch is open. A folder is opened step by
/// step: each step asks the store for one listing.
struct DriveTree {
    /// Steps by which rows are indented at most.
    private static let maxIndent = 6
    /// The value of a button that closes all drives.
    private static let nothing = "none"

    /// For the template `drivetree`.
    private(set) var model: PageModel
    /// The folder that is chosen where the form was not changed; nil for none.
    private(set) var chosen: DrivePlace?

    /// - Parameters:
    ///   - drives: the roots.
    ///   - first: what is open and chosen when the form says nothing; nil for nothing.
    ///   - present: where the things are now; nil for things of a fund.
    ///   - moved: folders that cannot go into themselves.
    ///   - opener: where the buttons that open and close a folder send the form.
    init(
        _ drives: [Drive], from first: DrivePlace?, present: DrivePlace? = nil, without moved: Set<DrivePath> = [],
        _ form: FieldText, opener: String, _ call: PageCall
    ) async throws {
        let asked = form["open"] ?? form["beside"] ?? form["at"]
        let place = asked == Self.nothing ? nil : asked.flatMap { DrivePlace($0) } ?? first
        let opened = place.flatMap { place in drives.contains { $0.id == place.drive } ? place : nil }
        // A folder that is opened is chosen, too: it is always among the rows.
        chosen = form["open"] == nil ? form["at"].flatMap { DrivePlace($0) } ?? first : opened
        let isStep = form["open"] != nil
        model = [
            "opener": opener, "beside": opened.map(\.text) ?? Self.nothing, "nextFolders": PageValue.flag(false),
            "treeFailure": PageValue.flag(false),
        ]
        var rows: [PageModel] = []
        let chosen = chosen
        func row(_ place: DrivePlace, _ name: String, isOpen: Bool, closesTo parent: String) -> PageModel {
            let depth = place.path.names.count
            return [
                "place": place.text, "name": name, "indent": "\(min(depth, Self.maxIndent))",
                "icon": depth == 0 ? "drive" : "folder", "isChosen": chosen == place,
                "isFocused": isStep && chosen == place, "isPresent": present == place, "isOpen": isOpen,
                "canOpen": depth > 0 || drives.count > 1, "toggle": isOpen ? parent : place.text,
            ]
        }
        for drive in drives {
            guard let opened, opened.drive == drive.id else {
                rows.append(row(DrivePlace(drive.id), drive.name, isOpen: false, closesTo: Self.nothing))
                continue
            }
            rows.append(row(DrivePlace(drive.id), drive.name, isOpen: true, closesTo: Self.nothing))
            var parent = DrivePlace(drive.id)
            for name in opened.path.names {
                guard let path = parent.path.appending(name) else { break }
                rows.append(row(DrivePlace(drive.id, path), name, isOpen: true, closesTo: parent.text))
                parent.path = path
            }
            do {
                let page = try await Self.folders(in: opened, form, call)
                for entry in page.items {
                    guard let path = opened.path.appending(entry.name), !moved.contains(path) else { continue }
                    rows.append(row(DrivePlace(drive.id, path), entry.name, isOpen: false, closesTo: parent.text))
                }
                model["nextFolders"] = page.next.orAbsent
            } catch let failure as DriveError {
                model["treeFailure"] = call.words.sentence(failure.requestError)
            }
        }
        model["rows"] = rows
    }

    /// Folders stand first in a listing.
    private static func folders(
        in place: DrivePlace, _ form: FieldText, _ call: PageCall
    ) async throws -> ListPage<DriveEntry> {
        let list = "drive folders \(place.text)"
        let cursor = form["open"] == nil ? try call.opened(form["more-folders"], of: list) : nil
        let listing = try await call.driveListing(of: place.path, DriveOrder(), of: place.drive)
        let page = try listing.page(PageQuery(limit: PageRoute.maxPlaces, cursor: cursor))
        let hasMore = page.items.last?.isFolder ?? false
        return ListPage(
            items: page.items.filter(\.isFolder), next: hasMore ? try call.sealed(page.next, of: list) : nil)
    }
}

extension PageCall {
    /// The folder that a form chose in `at`, below which the one is made that it names in `new-folder`. Throws
    /// `DriveError` with `name` for a name that no folder can have, and what the store says.
    /// - Parameter drive: the only drive that may be chosen; nil for any.
    func chosenDrivePlace(_ form: FieldText, in drive: Drive.ID? = nil) async throws -> DrivePlace {
        guard var place = DrivePlace(form["at"] ?? ""), place.drive == drive ?? place.drive else {
            throw RequestError.invalid("choose a folder")
        }
        let name = form["new-folder"] ?? ""
        guard !name.isEmpty else { return place }
        guard DrivePath.isName(name), let path = place.path.appending(name) else { throw DriveError(.name) }
        try await makeDriveFolder(path, in: place.drive)
        place.path = path
        return place
    }
}
