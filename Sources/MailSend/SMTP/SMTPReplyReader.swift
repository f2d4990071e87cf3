internal import FundCore
internal import MailConnection

/// Reads replies from a connection, line by line.
struct SMTPReplyReader {
    /// RFC 5321 §4.5.3.1.5 has 512; some servers write more.
    private static let maxLineBytes = 4096
    /// A reply is a few lines; one without end would be read for ever.
    private static let maxLines = 200

    let channel: any ByteChannel
    private var buffer: [UInt8] = []

    init(channel: any ByteChannel) { self.channel = channel }

    /// Bytes came that are of no reply that was read.
    var hasMore: Bool { !buffer.isEmpty }

    /// The next reply, all lines of it. Throws `protocolViolation` for what is none.
    mutating func next(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> SMTPReply {
        var reply: SMTPReply?
        for _ in 0..<Self.maxLines {
            let bytes = try line(until: deadline)
            guard let line = SMTPReply.line(bytes), reply == nil || reply?.code == line.code else {
                throw Self.violation("a line that is no reply")
            }
            if reply == nil { reply = SMTPReply(code: line.code, text: "") }
            reply?.append(line.text)
            if line.isLast, let reply { return reply }
        }
        throw Self.violation("a reply without end")
    }

    private mutating func line(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> [UInt8] {
        while true {
            if let end = buffer.firstIndex(of: .lf) {
                var line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                if line.last == .cr { line.removeLast() }
                return line
            }
            guard buffer.count <= Self.maxLineBytes else { throw Self.violation("a line without end") }
            var piece = [UInt8](repeating: 0, count: Self.maxLineBytes)
            var failure: ConnectionError?
            let count = piece.withUnsafeMutableBytes { buffer in
                do throws(ConnectionError) { return try channel.receive(into: buffer, until: deadline) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            buffer += piece[..<count]
        }
    }

    private static func violation(_ detail: String) -> ConnectionError {
        ConnectionError(.protocolViolation, during: "reading a reply", detail)
    }
}
