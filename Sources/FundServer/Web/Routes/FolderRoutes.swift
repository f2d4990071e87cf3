internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The target of a move or copy. Without a fund it stays in its own.
struct TargetBody: Decodable {
    var name: String?
    var fund: Fund.ID?
    /// Absent or null: the top of the fund if `fund` is given, else the present folder.
    var folder: FolderEntry.ID?
    var ifTaken: NameConflict?

    enum CodingKeys: String, CodingKey {
        case name, fund, folder
        case ifTaken = "if_taken"
    }

    var target: ItemTarget {
        let place: ItemTarget.Place =
            if let fund { .place(LibraryPlace(fund: fund, folder: folder)) } else {
                folder.map { .folder($0) } ?? .unchanged
            }
        return ItemTarget(place, name: name, ifTaken: ifTaken ?? .refuse)
    }
}

extension WebRoute {
    private struct NewFolder: Decodable {
        var name: String
        var parent: FolderEntry.ID?
    }

    static let folderRoutes: [WebRoute] = [
        .post("/v1/funds/{fund}/folders") { call in
            let fund: Fund.ID = try call.id("fund")
            let body: NewFolder = try await call.body()
            let place = LibraryPlace(fund: fund, folder: body.parent)
            let folder = try await call.library.addFolder(body.name, in: place, of: try call.userID)
            return try call.representation(
                .created, headers: [.location: "/api/v1/folders/\(folder.id)"], of: .item(.folder(folder)))
        },
        .get("/v1/folders/{folder}") { call in
            let folder = try await call.library.folder(try call.id("folder"), of: try call.userID)
            return try call.representation(of: .item(.folder(folder)))
        },
        .get("/v1/folders/{folder}/items") { call in
            let folder = try await call.library.folder(try call.id("folder"), of: try call.userID)
            return try await items(in: LibraryPlace(fund: folder.fund, folder: folder.id), call)
        },
        .patch("/v1/folders/{folder}") { call in try await move(.folder(try call.id("folder")), call) }.conditional,
        .post("/v1/folders/{folder}/copy") { call in try await copy(.folder(try call.id("folder")), call) },
        .act(.delete, "/v1/folders/{folder}") { call in try await delete(.folder(try call.id("folder")), call) }
            .conditional,
    ]

    static func move(_ item: LibraryItemID, _ call: WebCall) async throws -> Response {
        // An item that does not exist or is another user's is 404, for any body.
        try await check(item, call)
        let body: TargetBody = try await call.body()
        let moved = try await call.library.move(item, to: body.target, if: call.condition, of: try call.userID)
        return call.json(headers: [.eTag: ItemState.item(moved).entityTag]) { $0.field(moved) }
    }

    static func copy(_ item: LibraryItemID, _ call: WebCall) async throws -> Response {
        try await check(item, call)
        let body: TargetBody = try await call.body()
        let copied = try await call.library.copy(item, to: body.target, isShallow: false, if: nil, of: try call.userID)
        return call.json(.created) { $0.field(copied) }
    }

    static func delete(_ item: LibraryItemID, _ call: WebCall) async throws {
        try await call.library.delete(item, if: call.condition, of: try call.userID)
    }

    private static func check(_ item: LibraryItemID, _ call: WebCall) async throws {
        switch item {
        case .folder(let id): _ = try await call.library.folder(id, of: try call.userID)
        case .file(let id): _ = try await call.library.file(id, of: try call.userID)
        case .fund, .email, .note: throw RequestError.notFound
        }
    }
}
