internal import ChildProcesses
internal import FundCore
internal import Glibc

/// Writes decoded bytes into the pack, one file after the other.
final class PackWriter {
    private static let bufferBytes = 64 << 10
    /// A mail that was forwarded as an attachment seven times over holds its file that often.
    private static let maxGrowth: Int64 = 8

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var flushed: Int64 = 0
    /// Where the pack of the present message must end.
    private var maxEnd: Int64 = 0

    init(descriptor: Int32) {
        self.descriptor = descriptor
        buffer.reserveCapacity(Self.bufferBytes)
    }

    /// Where the next byte goes.
    var position: Int64 { flushed + Int64(buffer.count) }

    /// Starts over for a new message, or goes on behind the last one's. Nested ones are filed whole and in parts: a
    /// pack may grow, but not by any factor.
    func begin(messageBytes: Int64, goesOn: Bool) {
        buffer.removeAll(keepingCapacity: true)
        if !goesOn { flushed = 0 }
        maxEnd = flushed + Self.maxGrowth * messageBytes + (16 << 20)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(ReadError) {
        guard position + Int64(bytes.count) <= maxEnd else {
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
        let isWritten = SystemCall.writeAll(bytes) {
            let count = pwrite(descriptor, $0.baseAddress, $0.count, off_t(flushed))
            flushed += Int64(max(count, 0))
            return count
        }
        guard isWritten else {
            // Most likely the disk is full. The status tells the parent that the message is not the cause.
            Wire.complain("pack: \(SystemText.of(errno))")
            _exit(Wire.packFailureStatus)
        }
    }
}
