public import Foundation

/// A folder in a fund.
public struct Folder: Sendable, Hashable, Codable, Identifiable {
    public var id: FolderID
    public var fund: FundID
    /// The folder in which it lies; nil at the top of the fund.
    public var parent: FolderID?
    public var name: String
    public var createdAt: Date
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
}
