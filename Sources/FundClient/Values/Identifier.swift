/// The number by which a server knows a thing; never given to another thing of that kind.
public struct Identifier<Thing>: Hashable, Sendable, Comparable, Codable, CustomStringConvertible {
    /// From 1.
    public let value: Int64

    public init(_ value: Int64) { self.value = value }

    public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    public static func < (first: Self, second: Self) -> Bool { first.value < second.value }

    public var description: String { "\(value)" }
}

public typealias FundID = Identifier<Fund>
public typealias FolderID = Identifier<Folder>
public typealias FileID = Identifier<File>
public typealias NoteID = Identifier<Note>
public typealias EmailID = Identifier<Email>
public typealias AttachmentID = Identifier<Attachment>
