public import Foundation

/// A note in a fund.
public struct Note: Sendable, Hashable, Codable, Identifiable {
    public var id: NoteID
    public var fund: FundID
    public var title: String
    public var content: String
    public var createdAt: Date
    public var modifiedAt: Date
    public var isFavourite: Bool
}
