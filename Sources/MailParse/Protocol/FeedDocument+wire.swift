internal import ChildProcesses
import FundCore

/// A document of the web that a child is to read, in the file of a `FileRequest`: its bytes stand behind the frame.
extension FeedDocument {
    /// Bytes of a document: what is fetched, and OPML that people bring.
    private static let maxBytes = 6 << 20
    static let maxFileBytes = maxBytes + 65_536

    func file(_ writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.readFeed)
        writer.optional(address, max: NewsAddress.maxBytes)
        writer.optional(contentType, max: Wire.maxContentTypeBytes)
        let content = bytes.prefix(Self.maxBytes)
        writer.i64(Int64(content.count))
        return writer.end() + content
    }

    init(_ request: FileRequest, in descriptor: Int32) throws(FrameError) {
        let (head, rest) = try request.content(in: descriptor) {
            (reader) throws(FrameError) -> (address: String?, type: String?, size: Int64) in
            (
                try reader.optionalString(max: NewsAddress.maxBytes),
                try reader.optionalString(max: Wire.maxContentTypeBytes), try reader.i64()
            )
        }
        guard head.size == Int64(rest.count) else { throw FrameError(what: "a document of another size") }
        self.init(bytes: rest, address: head.address, contentType: head.type)
    }
}
