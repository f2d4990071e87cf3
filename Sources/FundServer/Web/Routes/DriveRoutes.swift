internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Drives: the cloud stores that people have beside their funds.
extension WebRoute {
    private struct NewDriveBody: Decodable, Sendable {
        var name: String
        var kind: String
        /// Values by the names of the kind's fields. They go in, and never out.
        var settings: [String: String]
    }

    private struct DriveChangeBody: Decodable, Sendable {
        var name: String?
        var settings: [String: String]?
    }

    private struct SignInBody: Decodable, Sendable {
        var kind: String?
        /// The name of the drive that is added.
        var name: String?
        /// The drive that is signed in to anew.
        var drive: Int64?
    }

    private struct SignInCodeBody: Decodable, Sendable {
        /// The id of the sign-in.
        var id: String
        var code: String
        var hostname: String?
    }

    private struct PathBody: Decodable, Sendable {
        var path: String
    }

    private struct MoveBody: Decodable, Sendable {
        var path: String
        var to: String
    }

    static let driveRoutes: [WebRoute] = [
        .get("/v1/drives") { call in
            let drives = try await call.driveStore.drives(of: try call.userID)
            return call.json { json in json.objects("drives", drives) { $0.field($1) } }
        },
        .get("/v1/drives/kinds") { call in
            let kinds = try call.driveOperations.kinds
            return call.json { json in json.objects("kinds", kinds) { $0.field($1) } }
        },
        .post("/v1/drives") { call in
            try call.context.requireSecrecy()
            _ = try call.driveStore
            let body: NewDriveBody = try await call.body()
            guard let kind = body.kind.isShortWord ? DriveKind(rawValue: body.kind) : nil else {
                throw DriveError(.settings, "kind is none that there is")
            }
            let settings = try DriveSettings(kind, body.settings)
            let drive = try await call.addDrive(body.name, settings)
            return call.json(.created, headers: [.location: "/api/v1/drives/\(drive.id)"]) { $0.field(drive) }
        },
        .post("/v1/drives/sign-ins") { call in
            try call.context.requireSecrecy()
            _ = try call.driveStore
            let body: SignInBody = try await call.body()
            let drive: Drive?
            if let id = body.drive {
                drive = try await call.driveStore.drive(Drive.ID(rawValue: id), of: try call.userID)
            } else {
                drive = nil
            }
            guard let kind = drive?.kind ?? body.kind.flatMap({ $0.isShortWord ? DriveKind(rawValue: $0) : nil }) else {
                throw DriveError(.settings, "kind is none that there is")
            }
            guard let name = drive?.name ?? body.name else { throw RequestError.invalid("name must be a name") }
            let begun = try await call.beginDriveSignIn(kind, name: name, drive: drive?.id, isOfProgram: true)
            return call.json(.created) { json in
                json.field("id", begun.state)
                json.field("address", begun.address)
            }
        },
        .post("/v1/drives/sign-ins/finish") { call in
            try call.context.requireSecrecy()
            _ = try call.driveStore
            let body: SignInCodeBody = try await call.body()
            let drive = try await call.finishDriveSignIn(body.id, code: body.code, host: body.hostname)
            return call.json(.created, headers: [.location: "/api/v1/drives/\(drive.id)"]) { $0.field(drive) }
        },
        .get("/v1/drives/{drive}") { call in
            let drive = try await call.drive()
            return call.json { $0.field(drive) }
        },
        .patch("/v1/drives/{drive}") { call in
            try call.context.requireSecrecy()
            let kind = try await call.drive().kind
            let body: DriveChangeBody = try await call.body()
            let settings = try body.settings.map { try DriveSettings(kind, $0) }
            let drive = try await call.changeDrive(try call.id("drive"), name: body.name, settings)
            return call.json { $0.field(drive) }
        },
        .act(.delete, "/v1/drives/{drive}") { call in try await call.removeDrive(try call.id("drive")) },
        .get("/v1/drives/{drive}/space") { call in
            let space = try await call.driveSpace(of: try await call.drive().id)
            return call.json { $0.field(space) }
        },
        .get("/v1/drives/{drive}/entries") { call in
            let (drive, query) = (try await call.drive().id, try call.query())
            let listing = try await call.driveListing(
                of: try call.drivePath(query["path"]), try DriveOrder(query), of: drive,
                isNew: try query.flag("fresh"))
            let page = try listing.page(try call.page(query, default: 100))
            return try call.list(
                "entries", page, total: listing.entries.count, unnamed: listing.unnamed
            ) { $0.field($1) }
        },
        .get("/v1/drives/{drive}/entry") { call in
            let drive = try await call.drive().id
            let entry = try await call.driveEntry(at: try call.driveItem(try call.query()["path"]), of: drive)
            return call.json { $0.field(entry) }
        },
        .get("/v1/drives/{drive}/search") { call in
            let (drive, query) = (try await call.drive().id, try call.query())
            let found = try await call.foundInDrive(
                query["q"] ?? "", below: try call.drivePath(query["path"]), of: drive)
            return call.json(reserving: 512 * (found.count + 1)) { json in
                json.objects("entries", found) { json, hit in
                    json.field("path", hit.path.description)
                    json.field(hit.entry)
                }
            }
        },
        .get("/v1/drives/{drive}/content") { call in
            let drive = try await call.drive().id
            return try await call.driveContent(at: try call.driveItem(try call.query()["path"]), of: drive)
        }.streamed,
        .act(.post, "/v1/drives/{drive}/folders") { call in
            let drive = try await call.drive().id
            let body: PathBody = try await call.body()
            try await call.makeDriveFolder(try call.driveItem(body.path), in: drive)
        },
        .act(.post, "/v1/drives/{drive}/move") { call in
            let drive = try await call.drive().id
            let body: MoveBody = try await call.body()
            try await call.moveInDrive(try call.driveItem(body.path), to: try call.driveItem(body.to), of: drive)
        },
        .act(.post, "/v1/drives/{drive}/delete") { call in
            let drive = try await call.drive().id
            let body: PathBody = try await call.body()
            try await call.removeFromDrive(try call.driveItem(body.path), of: drive)
        },
    ]
}
