/// The number by which a server knows a thing; never given to another thing of that kind.
public struct Identifier<Thing>: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// From 1.
    public let value: Int64

    /// Makes one of its parts.
    public init(_ value: Int64) { self.value = value }

    /// Makes one of its parts.
    public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int64.self) }

    /// Writes what servers read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    /// By number.
    public static func < (first: Self, second: Self) -> Bool { first.value < second.value }

    /// For people and logs.
    public var description: String { "\(value)" }
}

/// Of a fund.
public typealias FundID = Identifier<Fund>
/// Of a folder.
public typealias FolderID = Identifier<Folder>
/// Of a file.
public typealias FileID = Identifier<File>
/// Of a note.
public typealias NoteID = Identifier<Note>
/// Of an email.
public typealias EmailID = Identifier<Email>
/// Of an attachment.
public typealias AttachmentID = Identifier<Attachment>
