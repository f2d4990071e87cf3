public import Foundation

/// A folder in a fund.
public struct Folder: Sendable, Hashable, Codable, Identifiable {
    /// By which the server knows it.
    public var id: FolderID
    /// In which it lies.
    public var fund: FundID
    /// The folder in which it lies; nil at the top of the fund.
    public var parent: FolderID?
    /// As people named it.
    public var name: String
    /// When it was made.
    public var createdAt: Date
    /// When it was changed last.
    public var modifiedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
}
