public import Foundation

/// Id of a drive.
public typealias DriveID = Identifier<Drive>
/// Id of a transfer between a drive and a fund.
public typealias DriveTransferID = Identifier<DriveTransfer>

/// A cloud store of a person, beside their funds.
public struct Drive: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: DriveID
    /// The name that its owner gave it.
    public var name: String
    /// The word for its kind, such as `webdav`.
    public var kind: String
    /// The host by which people know the store.
    public var host: String
    /// The account as its store names it, such as an address; nil where nothing tells it.
    public var account: String?
    /// The time at which it was added.
    public var addedAt: Date
    /// The word for the failure of the last operation; nil after one that succeeded.
    public var problem: String?
    /// The failure in English.
    public var detail: String?
}

/// A kind of stores, and what it asks for.
public struct DriveKind: Sendable, Hashable, Codable {
    /// A setting of a kind.
    public struct Field: Sendable, Hashable, Codable {
        /// Name in `Session.addDrive`.
        public var name: String
        /// One of `text`, `address`, `secret` and `choice`.
        public var form: String
        /// The words of a choice; the last one counts where none is given.
        public var choices: [String]
        /// Whether a drive needs it.
        public var isRequired: Bool
    }

    /// The word for it.
    public var kind: String
    /// The name that people know.
    public var title: String
    /// Whether one signs in to it on its own pages, see `Session.beginSignIn`.
    public var usesOauth: Bool
    /// The settings in the order in which they are asked for.
    public var fields: [Field]
}

/// A sign-in on the page of a store that has begun.
public struct DriveSignIn: Sendable, Hashable, Codable {
    /// For `Session.finish`.
    public var id: String
    /// The page of the store.
    public var address: String
}

/// The room of a drive in bytes; nil for what its store does not tell.
public struct DriveSpace: Sendable, Hashable, Codable {
    /// Size of the store.
    public var total: Int64?
    /// Bytes that are taken.
    public var used: Int64?
    /// Bytes that are left.
    public var free: Int64?
}

/// A file or folder of a drive.
public struct DriveEntry: Sendable, Hashable, Codable {
    /// Names from the top of the drive; nil in the list of a folder.
    public var path: String?
    /// Name in its folder.
    public var name: String
    /// Whether it is a folder.
    public var isFolder: Bool
    /// Size in bytes; nil for folders, and where the store does not know.
    public var size: Int64?
    /// The time that the store tells.
    public var modifiedAt: Date?
}

/// Files on their way between a drive and a fund.
public struct DriveTransfer: Sendable, Hashable, Codable, Identifiable {
    /// Its states; a word that this program does not know reads as `unknown`.
    public enum State: String, Sendable, Hashable, Codable {
        case queued, running, done, failed, cancelled, unknown

        /// Reads a word.
        public init(from decoder: any Decoder) throws {
            self = State(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }

        /// Whether it goes on no more by itself.
        public var isEnded: Bool { self == .done || self == .failed || self == .cancelled }
    }

    /// Id on the server; never reused.
    public var id: DriveTransferID
    /// The drive at its other end.
    public var drive: DriveID
    /// `pull` into a fund, or `push` to the drive.
    public var direction: String
    /// How far it is.
    public var state: State
    /// Names that are pulled, or the folder that files are pushed into.
    public var paths: [String]
    /// Files that have arrived.
    public var files: Int64
    /// Files that are known of; it grows while folders are read.
    public var totalFiles: Int64
    /// Files that could not go.
    public var failedFiles: Int64
    /// Bytes that have arrived.
    public var bytes: Int64
    /// Bytes of the files whose size the store tells.
    public var totalBytes: Int64
    /// The time at which it was begun.
    public var addedAt: Date
    /// The time at which it ended; nil before.
    public var endedAt: Date?
    /// The word for why it failed, or some of its files did.
    public var problem: String?
    /// The failure in English.
    public var detail: String?
}
