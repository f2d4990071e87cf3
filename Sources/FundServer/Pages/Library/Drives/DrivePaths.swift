internal import FundHTTP
internal import FundCore

/// Addresses of the pages about drives.
enum DrivePaths {
    static let drives = "/library/drives"
    static let transfers = "\(drives)/transfers"
    /// The address to which the pages of stores lead back: companies register it there.
    static let signIn = DriveSignInPath.path

    static func drive(_ id: Drive.ID) -> String { "\(drives)/\(id)" }

    static func folder(_ path: DrivePath, of drive: Drive.ID, _ fields: [(name: String, value: String?)] = []) -> String
    {
        self.drive(drive) + PageQueryText.text([("path", text(path))] + fields)
    }

    static func watches(of drive: Drive.ID) -> String { "\(self.drive(drive))/watches" }

    static func newWatch(_ path: DrivePath, of drive: Drive.ID) -> String {
        "\(watches(of: drive))/new" + PageQueryText.text([("path", text(path))])
    }

    /// The page of a file.
    static func file(_ path: DrivePath, of drive: Drive.ID, page: Int = 1) -> String {
        "\(self.drive(drive))/file"
            + PageQueryText.text([("path", path.description), ("page", page == 1 ? nil : "\(page)")])
    }

    static func preview(_ path: DrivePath, of drive: Drive.ID, page: Int, size: Int) -> String {
        "\(self.drive(drive))/preview"
            + PageQueryText.text([("path", path.description), ("size", "\(size)"), ("page", "\(page)")])
    }

    static func words(_ path: DrivePath, of drive: Drive.ID, page: Int) -> String {
        "\(self.drive(drive))/preview/text"
            + PageQueryText.text([("path", path.description), ("page", "\(page)")])
    }

    /// The folders from the top down to one, each with its address.
    static func trail(to folder: DrivePath, of drive: Drive.ID) -> [PageModel] {
        folder.names.indices.compactMap { index in
            DrivePath(Array(folder.names[...index])).map { path in
                ["name": folder.names[index], "address": self.folder(path, of: drive)]
            }
        }
    }

    static func entry(_ path: DrivePath, of drive: Drive.ID) -> String {
        "\(self.drive(drive))/entry" + PageQueryText.text([("path", path.description)])
    }

    static func content(_ path: DrivePath, of drive: Drive.ID) -> String {
        "\(self.drive(drive))/content" + PageQueryText.text([("path", path.description)])
    }

    /// Nil for the top, which needs no field.
    private static func text(_ path: DrivePath) -> String? { path == .top ? nil : path.description }
}

/// Files and folders of one folder of a drive, as the boxes of a form name them.
struct DriveSelection {
    private static let prefix = "entry-"
    /// The most that one request deletes: the store is asked once for each.
    static let maxDeleted = 50

    let folder: DrivePath
    let paths: [DrivePath]

    /// The name of the box of an entry.
    static func field(of name: String) -> String { prefix + name }

    /// Reads the fields `entry-NAME` of a form, whatever their values, in the folder of its field `path`.
    ///
    /// Throws 400 for more than `limit` of them, and `DriveError` with `name` for a name that no entry can have.
    init(_ form: FieldText, _ call: PageCall, atMost limit: Int = NewDriveTransfer.maxItems) throws {
        let folder = try call.drivePath(form["path"])
        self.folder = folder
        // By bytes: a name may begin with a combining mark.
        let fields = form.values.keys.filter { $0.utf8.starts(with: Self.prefix.utf8) }.sorted()
        guard fields.count <= limit else {
            throw RequestError.invalid("at most \(limit) items can be chosen at once")
        }
        paths = try fields.map { field in
            let name = String(Substring(field.utf8.dropFirst(Self.prefix.utf8.count)))
            guard let path = folder.appending(name) else {
                throw DriveError(.name)
            }
            return path
        }
    }

    /// For hidden fields, and for the names that a page shows.
    var model: PageModel {
        [
            "folder": folder.description, "items": paths.map { Self.field(of: $0.name ?? "") },
            "names": paths.prefix(Self.maxShown).map { $0.name ?? "" }, "hasMore": paths.count > Self.maxShown,
        ]
    }

    private static let maxShown = 20
}
