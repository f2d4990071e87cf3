internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Files on their way between drives and funds.
extension WebRoute {
    private struct TransferBody: Decodable, Sendable {
        struct Item: Decodable, Sendable {
            var type: String
            var id: Int64
        }

        var drive: Drive.ID
        /// Files and folders of the drive that are pulled.
        var paths: [String]?
        /// Their place.
        var fund: Fund.ID?
        var folder: FolderEntry.ID?
        /// Files and folders of the library that are pushed.
        var items: [Item]?
        /// The folder of the drive for them.
        var path: String?

        func transfer(_ call: WebCall) throws -> NewDriveTransfer {
            guard drive.rawValue > 0, fund?.rawValue ?? 1 > 0, folder?.rawValue ?? 1 > 0 else {
                throw RequestError.invalid("an id is a number from 1 on")
            }
            guard paths?.count ?? 0 <= NewDriveTransfer.maxItems, items?.count ?? 0 <= NewDriveTransfer.maxItems else {
                throw RequestError.invalid("a transfer names \(NewDriveTransfer.maxItems) things at most")
            }
            if let paths, let fund, items == nil, path == nil {
                let place = LibraryPlace(fund: fund, folder: folder)
                return NewDriveTransfer(
                    drive: drive, work: .pull(try paths.map { try call.driveItem($0) }, into: place))
            }
            if let items, paths == nil, fund == nil, folder == nil {
                return NewDriveTransfer(
                    drive: drive, work: .push(try items.map(Self.item), into: try call.drivePath(path)))
            }
            throw RequestError.invalid("send paths and the fund for them, or items and the path for them")
        }

        private static func item(_ item: Item) throws -> LibraryItemID {
            guard item.id > 0, let kind = ItemKind(name: item.type), kind == .file || kind == .folder else {
                throw RequestError.invalid("items are files and folders, each with its id")
            }
            return LibraryItemID(kind, item.id)
        }
    }

    static let transferRoutes: [WebRoute] = [
        .get("/v1/transfers") { call in
            let page = try await call.driveStore.transfers(
                of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("transfers", page) { $0.field($1) }
        },
        .post("/v1/transfers") { call in
            _ = try call.driveStore
            let body: TransferBody = try await call.body()
            let transfer = try await call.beginTransfer(try body.transfer(call))
            return call.json(.created, headers: [.location: "/api/v1/transfers/\(transfer.id)"]) { $0.field(transfer) }
        },
        .get("/v1/transfers/{transfer}") { call in
            let transfer = try await call.driveStore.transfer(try call.id("transfer"), of: try call.userID)
            return call.json { $0.field(transfer) }
        },
        .post("/v1/transfers/{transfer}/cancel") { call in
            let (id, store, user): (DriveTransfer.ID, any DriveStore, User.ID) = (
                try call.id("transfer"), try call.driveStore, try call.userID
            )
            try await store.cancelTransfer(id, of: user)
            let transfer = try await store.transfer(id, of: user)
            return call.json { $0.field(transfer) }
        },
        .post("/v1/transfers/{transfer}/retry") { call in
            let (id, store, user): (DriveTransfer.ID, any DriveStore, User.ID) = (
                try call.id("transfer"), try call.driveStore, try call.userID
            )
            try await store.retryTransfer(id, of: user)
            let transfer = try await store.transfer(id, of: user)
            return call.json { $0.field(transfer) }
        },
    ]
}
