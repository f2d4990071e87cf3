internal import Glibc

/// Writes decoded bytes into the pack, one file after the other.
final class PackWriter {
    private static let bufferBytes = 64 << 10
    /// A mail that was forwarded as an attachment seven times over holds its file that often.
    private static let maxGrowth: Int64 = 8

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var flushed: Int64 = 0
    private var maxBytes: Int64 = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.bufferBytes)
    }

    /// Where the next byte goes.
    var position: Int64 { flushed + Int64(buffer.count) }

    /// Starts over for a new message. Nested messages are filed whole and in parts, so a pack may be larger than its
    /// message, but not by any factor.
    func begin(messageBytes: Int64) {
        buffer.removeAll(keepingCapacity: true)
        flushed = 0
        maxBytes = Self.maxGrowth * messageBytes + (16 << 20)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ReadError) {
        guard position + Int64(bytes.count) <= maxBytes else {
            throw .tooComplex("unpacked it is more than \(Self.maxGrowth) times as large")
        }
        if buffer.count + bytes.count > Self.bufferBytes { try flush() }
        if bytes.count >= Self.bufferBytes {
            write(bytes)
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Brings everything into the file.
    func flush() throws(ReadError) {
        guard !buffer.isEmpty else { return }
        buffer.withUnsafeBytes { write($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(flushed))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // Most likely the disk is full. The status tells the parent that the message is not the cause.
                Wire.complain("pack: \(String(cString: strerror(errno)))")
                _exit(Wire.packFailureStatus)
            }
            done += count
            flushed += Int64(count)
        }
    }
}
