public import Foundation

/// A note in a fund.
public struct Note: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: NoteID
    /// Fund in which it lies.
    public var fund: FundID
    /// Title, in one line.
    public var title: String
    /// Text of any number of lines.
    public var content: String
    /// Time of creation.
    public var createdAt: Date
    /// Time of the last change.
    public var modifiedAt: Date
    /// Whether its owner marked it as a favourite.
    public var isFavourite: Bool
}
