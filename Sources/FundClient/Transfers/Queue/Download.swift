public import Foundation

/// A content to be loaded, and its destination.
public struct Download: Sendable, Hashable {
    /// A file, an attachment or a message.
    public var item: ContentSource
    /// For people, and the name in the folder.
    public var name: String
    /// Expected digest; nil where it is not known.
    public var digest: Digest?
    /// Expected size in bytes; nil where it is not known.
    public var size: Int64?
    /// Whether it fails when the server has other bytes by now; otherwise those are loaded.
    public var isExact: Bool
    /// The path of the file to be made; nil for the cache alone.
    public var destination: String?
    /// Whether `destination` may get a number or replace a file. `number` unless given.
    public var ifTaken: IfTaken
    /// The time of the last change that the file gets; nil for that of the download.
    public var modifiedAt: Date?

    /// - Parameters:
    ///   - item: what is to be loaded.
    ///   - name: for people.
    ///   - destination: the path of the file to be made; nil for the cache alone.
    ///   - modifiedAt: the time of the last change that the file gets; nil for that of the download.
    public init(
        _ item: ContentSource, name: String, digest: Digest? = nil, size: Int64? = nil, isExact: Bool = false,
        to destination: String? = nil, ifTaken: IfTaken = .number, modifiedAt: Date? = nil
    ) {
        (self.item, self.name, self.digest, self.size, self.isExact) = (item, name, digest, size, isExact)
        (self.destination, self.ifTaken, self.modifiedAt) = (destination, ifTaken, modifiedAt)
    }

    /// A file as a list shows it.
    public init(_ file: File, to destination: String? = nil, ifTaken: IfTaken = .number) {
        self.init(
            .file(file.id), name: file.name, digest: file.digest, size: file.size, to: destination, ifTaken: ifTaken,
            modifiedAt: file.modifiedAt)
    }
}
