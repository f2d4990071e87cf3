public import Foundation

/// Id of a watched folder.
public typealias DriveWatchID = Identifier<DriveWatch>

/// A folder of a drive whose files are filed into a fund as they appear.
public struct DriveWatch: Sendable, Hashable, Codable, Identifiable {
    /// The act on a file of the drive that was filed.
    public enum Disposition: String, Sendable, Hashable, Codable, CaseIterable {
        case leave, move, mark
    }

    /// Its states; a word that this program does not know reads as `unknown`.
    public enum State: String, Sendable, Hashable, Codable {
        case on, paused, stopped, unknown

        /// Reads a word.
        public init(from decoder: any Decoder) throws {
            self = State(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
        }
    }

    /// Id on the server; never reused.
    public var id: DriveWatchID
    /// Its drive.
    public var drive: DriveID
    /// Names from the top of the drive; empty for the top.
    public var path: String
    /// The fund that files go into.
    public var fund: FundID
    /// The folder of the fund; nil for its top.
    public var folder: FolderID?
    /// The word for the act on files that were filed.
    public var disposition: String
    /// The name of the folder below it to which filed files move.
    public var subfolder: String
    /// Minutes between two looks.
    public var minutes: Int
    /// Whether it is looked at.
    public var state: State
    /// The time of the latest look; nil before the first one.
    public var lookedAt: Date?
    /// The time of the next look; nil for one that is not on.
    public var nextLookAt: Date?
    /// Files that were filed since it was added.
    public var filed: Int64
    /// Files that are on their way, or have to hold still first.
    public var waiting: Int64
    /// Files that cannot be filed, or could not be moved or marked.
    public var refused: Int64
    /// Folders in it, which are left alone.
    public var folders: Int64
    /// The word for why the latest look failed, or why it stopped.
    public var problem: String?
    /// The failure in English.
    public var detail: String?
}

/// A file of a watched folder that cannot be filed, or could not be moved or marked.
public struct RefusedFile: Sendable, Hashable, Codable {
    /// Its name in the folder.
    public var name: String
    /// Whether it is filed.
    public var isFiled: Bool
    /// The word for the reason.
    public var problem: String?
    /// The reason in English.
    public var detail: String?
}
