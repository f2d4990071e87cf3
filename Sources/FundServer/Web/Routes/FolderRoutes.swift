internal import HTTPTypes
internal import Hummingbird
internal import Ingest

/// What is in the way of a name.
enum TakenName: String, Decodable, Sendable {
    case refuse, number, replace

    var conflict: NameConflict {
        switch self {
        case .refuse: .refuse
        case .number: .number
        case .replace: .replace
        }
    }

    /// Throws when the text is there and none of these.
    static func conflict(_ text: String?) throws -> NameConflict {
        guard let text else { return .refuse }
        guard let taken = TakenName(rawValue: text) else {
            throw RequestFailure.invalid("if_taken must be refuse, number or replace")
        }
        return taken.conflict
    }
}

/// Where something is to go. Without a fund it stays in its own.
struct TargetBody: Decodable {
    var name: String?
    var fund: Int64?
    /// Nothing, or null: the top of the fund, if `fund` is given; else where it is.
    var folder: Int64?
    var ifTaken: TakenName?

    enum CodingKeys: String, CodingKey {
        case name, fund, folder
        case ifTaken = "if_taken"
    }

    var conflict: NameConflict { (ifTaken ?? .refuse).conflict }

    func place(from place: LibraryPlace, _ call: WebCall) async throws -> LibraryPlace {
        if let fund { return LibraryPlace(fund: fund, folder: folder) }
        guard let folder else { return place }
        return LibraryPlace(fund: try await call.store.folder(folder, of: try call.userID).fund, folder: folder)
    }
}

extension WebAPI {
    private struct NewFolder: Decodable {
        var name: String
        var parent: Int64?
    }

    static let folderRoutes: [WebRoute] = [
        .post("/v1/funds/{fund}/folders") { call in
            let fund = try call.id("fund")
            let body: NewFolder = try await call.body()
            let place = LibraryPlace(fund: fund, folder: body.parent)
            let folder = try await call.store.addFolder(body.name, in: place, of: try call.userID)
            return call.json(.created, headers: [.location: "/api/v1/folders/\(folder.id)"]) { $0.field(folder) }
        },
        .get("/v1/folders/{folder}") { call in
            let folder = try await call.store.folder(try call.id("folder"), of: try call.userID)
            return call.json { $0.field(folder) }
        },
        .get("/v1/folders/{folder}/items") { call in
            let folder = try await call.store.folder(try call.id("folder"), of: try call.userID)
            return try await items(in: LibraryPlace(fund: folder.fund, folder: folder.id), call)
        },
        .patch("/v1/folders/{folder}") { call in
            let folder = try await call.store.folder(try call.id("folder"), of: try call.userID)
            let place = LibraryPlace(fund: folder.fund, folder: folder.parent)
            return try await move(.folder(folder.id), from: place, call)
        },
        .post("/v1/folders/{folder}/copy") { call in
            let folder = try await call.store.folder(try call.id("folder"), of: try call.userID)
            let place = LibraryPlace(fund: folder.fund, folder: folder.parent)
            return try await copy(.folder(folder.id), from: place, call)
        },
        .delete("/v1/folders/{folder}") { call in
            try await call.store.delete(.folder(try call.id("folder")), of: try call.userID)
            return call.noContent
        },
    ]

    static func move(_ item: LibraryItemID, from place: LibraryPlace, _ call: WebCall) async throws -> Response {
        let target: TargetBody = try await call.body()
        let moved = try await call.store.move(
            item, to: try await target.place(from: place, call), named: target.name, ifTaken: target.conflict,
            of: try call.userID)
        return call.json { $0.field(moved) }
    }

    static func copy(_ item: LibraryItemID, from place: LibraryPlace, _ call: WebCall) async throws -> Response {
        let target: TargetBody = try await call.body()
        let copied = try await call.store.copy(
            item, to: try await target.place(from: place, call), named: target.name, ifTaken: target.conflict,
            isShallow: false, of: try call.userID)
        return call.json(.created) { $0.field(copied) }
    }
}
