internal import FundHTTP
internal import FundCore

/// The folders above a place.
struct FolderTrail {
    /// Folders lie no deeper than the store allows; this only ends a loop.
    private static let maxDepth = 128

    /// The folders from the top of the fund down, without the last.
    let steps: [PageModel]
    /// Name of the folder itself; nil at the top.
    let name: String?

    /// Throws 404 for a folder that is not in the fund.
    init(to place: LibraryPlace, _ call: PageCall) async throws {
        let folders = try await Self.folders(to: place, call)
        name = folders.last?.name
        steps = folders.dropLast().map { folder in
            [
                "name": folder.name, "address": LibraryPaths.folder(folder.id, in: place.fund),
                "place": PlaceChoice.text(LibraryPlace(fund: place.fund, folder: folder.id)),
            ]
        }
    }

    /// The folders from the top of the fund down to the place; none at the top. Throws 404 for a folder that is not in
    /// the fund.
    static func folders(to place: LibraryPlace, _ call: PageCall) async throws -> [FolderEntry] {
        var folders: [FolderEntry] = []
        var next = place.folder
        while let id = next, folders.count < maxDepth {
            let folder = try await call.library.folder(id, of: try call.userID)
            guard folder.fund == place.fund else { throw RequestError.notFound }
            folders.append(folder)
            next = folder.parent
        }
        return folders.reversed()
    }
}
