internal import CLinux
internal import Glibc

/// A message that no parser reads, filed all the same by an administrator's word: it is its own one attachment.
enum RawAttachment {
    private static let chunkBytes = 256 * 1024

    static func message(_ spooled: SpooledMessage, header: MessageHeader?, defects: [Defect]) -> ParsedMessage {
        let whole = ParsedAttachment(
            sentName: nil, displayName: "message.eml", contentType: "message/rfc822", size: spooled.size,
            digest: spooled.digest, isInline: false, contentID: nil, partPath: "1")
        return ParsedMessage(header: header ?? MessageHeader(), attachments: [whole], defects: defects)
    }

    static func read(_ spooled: SpooledMessage, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let descriptor = fundmail_open(spooled.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SpoolError("open", spooled.path) }
        defer { close(descriptor) }
        try withUnsafeTemporaryAllocation(byteCount: chunkBytes, alignment: 16) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SpoolError("read", spooled.path) }
                if count == 0 { return }
                try consume(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }
}
