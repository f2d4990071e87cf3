/// The number by which a server knows a thing; never given to another thing of that kind.
public struct Identifier<Thing>: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// Number, from 1.
    public let value: Int64

    /// Creates an id of the server's number.
    public init(_ value: Int64) { self.value = value }

    /// Reads a number.
    public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int64.self) }

    /// Writes what servers read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// Orders ids by number.
    public static func < (first: Self, second: Self) -> Bool { first.value < second.value }

    /// For people and logs.
    public var description: String { "\(value)" }
}

/// Id of a fund.
public typealias FundID = Identifier<Fund>
/// Id of a folder.
public typealias FolderID = Identifier<Folder>
/// Id of a file.
public typealias FileID = Identifier<File>
/// Id of a note.
public typealias NoteID = Identifier<Note>
/// Id of an email.
public typealias EmailID = Identifier<Email>
/// Id of an attachment.
public typealias AttachmentID = Identifier<Attachment>
