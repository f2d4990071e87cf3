public import Foundation

/// A folder in a fund.
public struct Folder: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: FolderID
    /// Fund in which it lies.
    public var fund: FundID
    /// The folder in which it lies; nil at the top of the fund.
    public var parent: FolderID?
    /// Name in its place.
    public var name: String
    /// Time of creation.
    public var createdAt: Date
    /// Time of the last change.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
}
