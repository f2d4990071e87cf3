import Testing

@testable import MailConnection
@testable import MailFetch

/// A line on which the server's words are known beforehand, and come in pieces of one size.
final class ReplayChannel: ByteChannel {
    var ignoresCancellation = false
    private(set) var sent: [UInt8] = []
    private var rest: ArraySlice<UInt8>
    private let pieceBytes: Int

    init(_ bytes: [UInt8], pieceBytes: Int = .max) {
        rest = bytes[...]
        self.pieceBytes = pieceBytes
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer, until deadline: Instant) throws(ConnectionError) -> Int {
        guard !rest.isEmpty else { throw ConnectionError(.connectionLost, during: "reading", "the server hung up") }
        let count = min(buffer.count, pieceBytes, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }

    func send(_ bytes: [UInt8], until deadline: Instant) throws(ConnectionError) { sent += bytes }
}

extension ByteReader {
    /// Reads what is there. The channel never waits, so the time it takes is this machine's own, and must not count as
    /// a slow server's: 100,000 pieces of a byte may take a second on a busy one.
    static func over(_ bytes: [UInt8], pieceBytes: Int = .max) -> ByteReader {
        let patience = Duration.seconds(3600)
        let reader = ByteReader(channel: ReplayChannel(bytes, pieceBytes: pieceBytes), stall: patience)
        reader.answerAllowance = patience
        reader.commandAllowance = patience
        return reader
    }
}
