internal import Hummingbird

/// Contents as deflate without compression: blocks of bytes as they are (RFC 1951 §3.2.4). Readers of streams find the
/// end of such an entry by itself, while the end of one that is only stored stands in the directory behind all entries.
/// The length is known beforehand all the same.
enum StoredBlocks {
    /// A block's length has 16 bits.
    private static let maxBytes = 65_535
    /// The type of a block, its length, and that inverted.
    private static let headLength = 5

    /// Bytes that a content of `size` bytes takes.
    static func length(of size: Int64) -> Int64 {
        size + (size + Int64(maxBytes) - 1) / Int64(maxBytes) * Int64(headLength)
    }

    /// The bytes of a content from `position` on, with the heads of the blocks that begin among them.
    /// - Parameter size: of the content.
    static func framed(_ bytes: ByteBuffer, at position: Int64, of size: Int64) -> ByteBuffer {
        var (bytes, position, framed) = (bytes, position, ByteBuffer())
        framed.reserveCapacity(Int(length(of: Int64(bytes.readableBytes))) + headLength)
        while bytes.readableBytes > 0 {
            let inBlock = Int(position % Int64(maxBytes))
            if inBlock == 0 {
                let count = UInt16(min(Int64(maxBytes), size - position))
                framed.writeInteger(position + Int64(count) == size ? UInt8(1) : 0)
                framed.writeInteger(count, endianness: .little)
                framed.writeInteger(~count, endianness: .little)
            }
            let count = min(bytes.readableBytes, maxBytes - inBlock)
            framed.writeImmutableBuffer(bytes.getSlice(at: bytes.readerIndex, length: count) ?? ByteBuffer())
            bytes.moveReaderIndex(forwardBy: count)
            position += Int64(count)
        }
        return framed
    }
}
