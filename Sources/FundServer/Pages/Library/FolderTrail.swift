internal import FundHTTP
internal import FundCore

/// The folders above a place.
struct FolderTrail {
    /// Folders lie no deeper than the store allows; this only ends a loop.
    static let maxDepth = 128

    /// From the top of the fund down, without the last.
    let steps: [PageModel]
    /// Name of the folder itself; nil at the top.
    let name: String?

    /// Throws 404 for a folder that is not in the fund.
    init(to place: LibraryPlace, _ call: PageCall) async throws {
        var names: [(FolderEntry.ID, String)] = []
        var next = place.folder
        while let id = next, names.count < Self.maxDepth {
            let folder = try await call.library.folder(id, of: try call.userID)
            guard folder.fund == place.fund else { throw RequestError.notFound }
            names.append((id, folder.name))
            next = folder.parent
        }
        name = names.first?.1
        steps = names.dropFirst().reversed().map { id, name in
            [
                "name": name, "address": LibraryPaths.folder(id, in: place.fund),
                "place": PlaceChoice.text(LibraryPlace(fund: place.fund, folder: id)),
            ]
        }
    }
}
