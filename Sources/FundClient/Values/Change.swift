/// Where a client is in the feed of changes. Neither its size nor the distance between two says anything.
public struct ChangeCursor: Hashable, Sendable, Codable {
    /// Number on the wire.
    public let value: Int64

    /// Creates the cursor of a number.
    public init(_ value: Int64) { self.value = value }

    /// Before the first change.
    public static let beginning = ChangeCursor(0)

    /// Reads a number.
    public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int64.self) }

    /// Writes what servers read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// Something is there, is other than it was, or is gone.
public struct Change: Sendable, Hashable {
    /// Kinds of things.
    public enum Kind: String, Sendable, Hashable, Codable { case fund, folder, file, email, note }

    /// Cursor to go on behind it.
    public var cursor: ChangeCursor
    /// Kind of the thing.
    public var kind: Kind
    /// Id of the thing among those of its kind.
    public var id: Int64
    /// It lies in the trash, is gone for good, or is no longer this user's.
    public var isDeleted: Bool
    /// The thing as it is now; nil when it is deleted, and where it was not asked for.
    public var item: ChangedItem?
}

/// The changed thing as it is now.
public enum ChangedItem: Sendable, Hashable {
    case fund(Fund)
    case folder(Folder)
    case file(File)
    case email(EmailSummary)
    case note(Note)
}

/// A piece of the feed, in the order in which the changes happened, each thing once with its latest change.
public struct ChangePage: Sendable, Hashable {
    /// Changes in the order in which they happened.
    public var changes: [Change]
    /// Cursor to go on with.
    public var cursor: ChangeCursor
    /// There are more now.
    public var hasMore: Bool
    /// Names the history of the server: another one after it went on from an earlier state, as from a backup. Nil where
    /// the server names none.
    public var history: String?
}
