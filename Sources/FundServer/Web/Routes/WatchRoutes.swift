internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Watched folders of drives.
extension WebRoute {
    private struct NewWatchBody: Decodable, Sendable {
        var path: String?
        var fund: Fund.ID
        var folder: FolderEntry.ID?
        var disposition: String?
        var subfolder: String?
        var minutes: Int?

        func watch(of drive: Drive.ID, _ call: WebCall) throws -> NewDriveWatch {
            var rules = WatchRules()
            rules.disposition = try WebRoute.disposition(disposition) ?? rules.disposition
            rules.folder = subfolder ?? rules.folder
            rules.minutes = minutes ?? rules.minutes
            return NewDriveWatch(
                drive: drive, path: try call.drivePath(path), place: try WebRoute.place(fund, folder), rules: rules)
        }
    }

    private struct WatchChangeBody: Decodable, Sendable {
        var fund: Fund.ID?
        var folder: FolderEntry.ID?
        var disposition: String?
        var subfolder: String?
        var minutes: Int?
        var isOn: Bool?

        private enum CodingKeys: String, CodingKey {
            case fund, folder, disposition, subfolder, minutes
            case isOn = "is_on"
        }

        func change() throws -> DriveWatchChange {
            guard fund != nil || folder == nil else { throw RequestError.invalid("a folder needs its fund") }
            return DriveWatchChange(
                place: try fund.map { try WebRoute.place($0, folder) },
                disposition: try WebRoute.disposition(disposition), folder: subfolder, minutes: minutes, isOn: isOn)
        }
    }

    private static func place(_ fund: Fund.ID, _ folder: FolderEntry.ID?) throws -> LibraryPlace {
        guard fund.rawValue > 0, folder?.rawValue ?? 1 > 0 else {
            throw RequestError.invalid("an id is a number from 1 on")
        }
        return LibraryPlace(fund: fund, folder: folder)
    }

    private static func disposition(_ word: String?) throws -> DriveWatch.Disposition? {
        guard let word else { return nil }
        guard word.isShortWord, let disposition = DriveWatch.Disposition(rawValue: word) else {
            throw RequestError.invalid("disposition is leave, move or mark")
        }
        return disposition
    }

    static let watchRoutes: [WebRoute] = [
        .get("/v1/drives/{drive}/watches") { call in
            let watches = try await call.driveWatches(of: try await call.drive().id)
            return call.json { json in json.objects("watches", watches) { $0.field($1) } }
        },
        .post("/v1/drives/{drive}/watches") { call in
            let drive = try await call.drive().id
            let body: NewWatchBody = try await call.body()
            let watch = try await call.addDriveWatch(try body.watch(of: drive, call))
            return call.json(.created, headers: [.location: "/api/v1/drives/\(drive)/watches/\(watch.id)"]) {
                $0.field(watch)
            }
        },
        .get("/v1/drives/{drive}/watches/{watch}") { call in
            let watch = try await call.driveWatch()
            return call.json { $0.field(watch) }
        },
        .patch("/v1/drives/{drive}/watches/{watch}") { call in
            let id = try await call.driveWatch().id
            let body: WatchChangeBody = try await call.body()
            let watch = try await call.changeDriveWatch(id, try body.change())
            return call.json { $0.field(watch) }
        },
        .act(.delete, "/v1/drives/{drive}/watches/{watch}") { call in
            try await call.removeDriveWatch(try await call.driveWatch().id)
        },
        .get("/v1/drives/{drive}/watches/{watch}/refused") { call in
            let id = try await call.driveWatch().id
            let files = try await call.driveStore.refusedFiles(of: id, try call.userID)
            return call.json { json in
                json.objects("files", files) { json, file in
                    json.field("name", file.name)
                    json.field("is_filed", file.state == .unmoved)
                    json.field("problem", file.problem?.rawValue)
                    json.field("detail", file.problem?.text)
                }
            }
        },
    ]
}
