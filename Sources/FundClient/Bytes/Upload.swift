/// A file to be sent, and its target.
public struct Upload: Sendable, Hashable {
    /// Use of the bytes on the server.
    public enum Target: Sendable, Hashable {
        /// A new file.
        case new(name: String, fund: FundID, folder: FolderID?, ifTaken: IfTaken)
        /// Other bytes for a file.
        /// - Parameter ifMatch: only if it still has these.
        case content(of: FileID, ifMatch: Digest?)
    }

    /// The path of a file of this machine.
    public var source: String
    /// Use of the bytes on the server.
    public var target: Target
    /// A media type.
    public var contentType: String

    /// - Parameters:
    ///   - source: the path of a file of this machine.
    ///   - target: what becomes of the bytes.
    ///   - contentType: a media type; the server goes by name and bytes where it is `application/octet-stream`.
    public init(_ source: String, to target: Target, contentType: String = "application/octet-stream") {
        (self.source, self.target, self.contentType) = (source, target, contentType)
    }
}
