/// The kinds of cloud stores. Raw values are stored, and stand in the configuration and the web API.
package enum DriveKind: String, Sendable, Hashable, CaseIterable {
    /// Nextcloud, ownCloud, SharePoint, another Fundmail, and any other WebDAV server.
    case webdav
    case s3
    case b2
    case azureBlob = "azure_blob"
    case swift
    case koofr
    case seafile
    case googleDrive = "google_drive"
    case oneDrive = "onedrive"
    case dropbox
    case box
    case pcloud

    /// The name that people know.
    package var title: String {
        switch self {
        case .webdav: "WebDAV"
        case .s3: "S3"
        case .b2: "Backblaze B2"
        case .azureBlob: "Azure Blob"
        case .swift: "OpenStack Swift"
        case .koofr: "Koofr"
        case .seafile: "Seafile"
        case .googleDrive: "Google Drive"
        case .oneDrive: "OneDrive"
        case .dropbox: "Dropbox"
        case .box: "Box"
        case .pcloud: "pCloud"
        }
    }

    /// Whether people sign in to it on its own pages, and it gives out tokens (OAuth 2.0, RFC 6749).
    package var usesOAuth: Bool {
        switch self {
        case .googleDrive, .oneDrive, .dropbox, .box, .pcloud: true
        default: false
        }
    }

    /// The settings that a person enters to add such a drive, in the order in which they are asked for. No other
    /// setting exists.
    package var fields: [DriveField] {
        switch self {
        case .webdav:
            [
                DriveField("url", .address), DriveField("vendor", .choice(Self.vendors), isRequired: false),
                DriveField("user", .text), DriveField("pass", .secret),
            ]
        case .s3:
            [
                DriveField("endpoint", .address, isRequired: false), DriveField("region", .text, isRequired: false),
                DriveField("bucket", .text), DriveField("access_key_id", .text),
                DriveField("secret_access_key", .secret),
            ]
        case .b2: [DriveField("bucket", .text), DriveField("account", .text), DriveField("key", .secret)]
        case .azureBlob:
            [DriveField("container", .text), DriveField("account", .text), DriveField("key", .secret)]
        case .swift:
            [
                DriveField("auth", .address), DriveField("user", .text), DriveField("key", .secret),
                DriveField("tenant", .text, isRequired: false), DriveField("domain", .text, isRequired: false),
                DriveField("region", .text, isRequired: false), DriveField("container", .text),
            ]
        case .koofr:
            [
                DriveField("endpoint", .address, isRequired: false), DriveField("user", .text),
                DriveField("password", .secret),
            ]
        case .seafile:
            [
                DriveField("url", .address), DriveField("library", .text, isRequired: false),
                DriveField("user", .text), DriveField("pass", .secret),
            ]
        case .googleDrive, .oneDrive, .dropbox, .box, .pcloud: []
        }
    }

    private static let vendors = ["nextcloud", "owncloud", "sharepoint", "other"]
}

/// One setting of a kind of drive.
package struct DriveField: Sendable, Hashable {
    /// The form of the value.
    package enum Form: Sendable, Hashable {
        case text
        /// An absolute address of a web server, `https://…`.
        case address
        /// Text that is never shown again.
        case secret
        /// One of a few; the last one where nothing is chosen.
        case choice([String])
    }

    /// The name in the web API and the store; that of rclone's option where it has one.
    package var name: String
    package var form: Form
    package var isRequired: Bool

    init(_ name: String, _ form: Form, isRequired: Bool = true) {
        self.name = name
        self.form = form
        self.isRequired = isRequired
    }

    package var isSecret: Bool { form == .secret }
}
