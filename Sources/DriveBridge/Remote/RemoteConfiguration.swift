internal import FundCore

/// A drive as rclone knows it: the text of its configuration file, and how paths begin. No option reaches rclone but
/// those of the table of kinds.
struct RemoteConfiguration: Sendable {
    /// The name of the one section of the file.
    private static let section = "drive"

    /// Names the drive and the state of its settings; nil for settings that are tried.
    var key: String?
    /// The drive that it is; nil for settings that are tried.
    var drive: String?
    /// Tells it from drives of other people, and of other servers, that may be of the same store.
    var mark = ""
    /// The person whose children work on it. All settings that are tried have one share.
    var owner = "-"
    /// The whole file, secrets included.
    let file: [UInt8]
    /// The names above the top of the drive: its bucket or container.
    private let root: [String]
    private let kind: DriveKind

    /// Throws `settings` for a value that the file cannot hold, and `login` for a kind with tokens that has none.
    init(_ settings: DriveSettings) throws {
        kind = settings.kind
        var lines = ["[\(Self.section)]"]
        var root: [String] = []
        for option in settings.options {
            switch option {
            case .constant(let name, let value): lines.append("\(name) = \(value)")
            case .field(let name):
                if let value = settings[name] { lines.append("\(name) = \(try Self.quoted(value, name))") }
            case .address(let name):
                if let address = settings[name].flatMap(DriveAddress.init) {
                    lines.append("\(name) = \(try Self.quoted(address.text, name))")
                }
            case .password(let name):
                if let value = settings[name] { lines.append("\(name) = \(try ObscuredSecret.text(value))") }
            case .root(let name):
                guard let value = settings[name], DrivePath.isName(value) else {
                    throw DriveError(.settings, "\(name) is no name")
                }
                root.append(value)
            case .token: lines.append("token = \(try Self.quoted(try DriveToken.of(settings).option, "token"))")
            case .account(let name, let value):
                guard let value = try value(DriveToken.of(settings)) else { throw DriveError.signInAgain }
                lines.append("\(name) = \(try Self.quoted(value, name))")
            }
        }
        self.root = root
        file = Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// A path as rclone's commands take it.
    func remote(_ path: DrivePath) -> String { "\(Self.section):\((root + path.names).joined(separator: "/"))" }

    /// A path as rclone's server has it.
    func served(_ path: DrivePath) -> String { (root + path.names).joined(separator: "/") }

    /// The hosts that it needs; nil for those that the administrators allow.
    var hosts: [String]? { kind.hosts }

    /// Whether it is a store of objects, which has folders only where something is in them.
    var hasOnlyObjects: Bool { [.s3, .b2, .azureBlob, .swift].contains(kind) }

    /// Whether a file appears under its name only when all of it is there: such stores keep nothing of an upload that
    /// breaks off.
    var writesWhole: Bool { hasOnlyObjects || [.googleDrive, .oneDrive, .dropbox, .box].contains(kind) }

    /// Whether two things in one folder may have one name.
    var mayRepeatNames: Bool { kind == .googleDrive }

    /// Whether it has documents that are written only when they are read, as Word and the like have them.
    var writesDocuments: Bool { kind == .googleDrive }

    /// The sections of `serviceFile`. rclone 1.60 asks a store of these kinds at most every 10 ms by one section,
    /// however fast it answers, and each section has a pace of its own.
    var sections: [String] {
        [.webdav, .azureBlob].contains(kind) ? (1...4).map { "\(Self.section)\($0)" } : [Self.section]
    }

    /// The file of a child that is asked for one file after the other: the same options in each section.
    var serviceFile: [UInt8] {
        let options = file.drop { $0 != .lf }
        return sections.flatMap { Array("[\($0)]".utf8) + options }
    }

    /// Options of listings. Times of S3 and Swift are those of the objects, and no checksums are asked for there and of
    /// pCloud: each would be one more request for each file.
    var listing: [String] {
        switch kind {
        case .s3, .swift: ["--use-server-modtime"]
        case .pcloud: []
        default: ["--hash"]
        }
    }

    /// A value between grave accents, where all stands for itself (github.com/unknwon/goconfig) but `%(name)s`.
    private static func quoted(_ value: String, _ name: String) throws(DriveError) -> String {
        guard !value.contains("%(") else { throw DriveError(.settings, "\(name) holds %(") }
        return "`\(value)`"
    }
}

/// One line of a configuration file, or what paths begin with.
private enum RemoteOption {
    case constant(String, String)
    /// The value that the person entered, under the name of the field.
    case field(String)
    case address(String)
    /// Obscured: what rclone calls a password.
    case password(String)
    case root(String)
    /// The access token.
    case token
    /// A value that the store gave when a person signed in.
    case account(String, @Sendable (DriveToken) -> String?)
}

extension DriveSettings {
    /// The options that rclone gets for a kind of drive (rclone.org/overview, the page of each backend). All else has
    /// rclone's own value: no environment, no files of keys, no commands, no other remote.
    fileprivate var options: [RemoteOption] {
        switch kind {
        case .webdav:
            [
                .constant("type", "webdav"), .address("url"), .constant("vendor", self["vendor"] ?? "other"),
                .field("user"), .password("pass"),
            ]
        case .s3:
            [
                .constant("type", "s3"), .constant("provider", self["endpoint"] == nil ? "AWS" : "Other"),
                .constant("env_auth", "false"), .constant("no_check_bucket", "true"), .address("endpoint"),
                .field("region"), .field("access_key_id"), .field("secret_access_key"), .root("bucket"),
            ]
        case .b2: [.constant("type", "b2"), .field("account"), .field("key"), .root("bucket")]
        case .azureBlob:
            [.constant("type", "azureblob"), .field("account"), .field("key"), .root("container")]
        case .swift:
            [
                .constant("type", "swift"), .constant("env_auth", "false"), .address("auth"), .field("user"),
                .field("key"), .field("tenant"), .field("domain"), .field("region"), .root("container"),
            ]
        case .koofr:
            [
                .constant("type", "koofr"), .constant("provider", self["endpoint"] == nil ? "koofr" : "other"),
                .address("endpoint"), .field("user"), .password("password"),
            ]
        case .seafile:
            [.constant("type", "seafile"), .address("url"), .field("library"), .field("user"), .password("pass")]
        // Shortcuts may lead round in a circle.
        case .googleDrive:
            [.constant("type", "drive"), .constant("scope", "drive"), .constant("skip_shortcuts", "true"), .token]
        case .oneDrive:
            [
                .constant("type", "onedrive"), .account("drive_id") { $0.driveID },
                .account("drive_type") { $0.driveType }, .token,
            ]
        // Without batches, a file is there when its upload ends.
        case .dropbox:
            [.constant("type", "dropbox"), .constant("batch_mode", "off"), .constant("chunk_size", "16Mi"), .token]
        case .box: [.constant("type", "box"), .constant("box_sub_type", "user"), .token]
        case .pcloud: [.constant("type", "pcloud"), .account("hostname") { $0.host }, .token]
        }
    }
}
