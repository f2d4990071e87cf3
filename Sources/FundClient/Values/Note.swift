public import Foundation

/// A note in a fund.
public struct Note: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: NoteID
    /// Fund in which it lies.
    public var fund: FundID
    /// In one line.
    public var title: String
    /// Text of any number of lines.
    public var content: String
    /// When it was made.
    public var createdAt: Date
    /// When it was changed last.
    public var modifiedAt: Date
    /// Its owner marked it.
    public var isFavourite: Bool
}
