package import FundCore
package import MailConnection

/// A connection to an SMTP server on which letters are handed over, one after the other (RFC 5321, RFC 6409).
///
/// libcurl connects, encrypts and logs in. The commands are sent here: libcurl's own let a CR LF through into `MAIL
/// FROM`, and do not tell which of them was refused, or whether the whole letter had gone out when the line broke.
///
/// Blocks; used by one thread at a time.
package final class SMTPConnection {
    /// RFC 5321 §4.5.3.1.4 has 512; addresses may be longer than they were.
    private static let maxCommandBytes = 1000
    /// Wait for the rest of a reply that began before the end of the letter was sent.
    private static let lastWords = Duration.seconds(1)
    private static let endOfData = Array(".\r\n".utf8)

    private let channel: any ByteChannel
    private let deadlines: SMTPDeadlines
    private let transcript: Transcript?
    private var replies: SMTPReplyReader
    /// See `CertificateExpiry`.
    package let certificateExpiry: Timestamp?
    /// False once the connection broke or the server ended it: the next letter needs another.
    package private(set) var isUsable = true

    init(
        channel: any ByteChannel, deadlines: SMTPDeadlines, transcript: Transcript?, certificateExpiry: Timestamp?
    ) {
        self.channel = channel
        self.deadlines = deadlines
        self.transcript = transcript
        self.certificateExpiry = certificateExpiry
        replies = SMTPReplyReader(channel: channel)
    }

    /// Largest message that the server takes, in bytes (RFC 1870); nil where it does not say.
    package var maxMessageBytes: Int? {
        channel.announced.lazy.compactMap { $0.hasPrefix("SIZE ") ? Int($0.dropFirst(5)) : nil }.first { $0 > 0 }
    }

    /// Hands a letter over to one recipient.
    ///
    /// - Parameters:
    ///   - sender: where a report of failure goes; nil for none (RFC 5321 §4.5.5, `<>`).
    ///   - recipient: the only one, so that there is one outcome.
    /// - Throws: an error of the connection, after which the server surely does not have the letter.
    package func send(
        _ message: MessageData, from sender: OutgoingAddress?, to recipient: OutgoingAddress
    ) throws(ConnectionError) -> SendOutcome {
        let size = announcesSize ? " SIZE=\(message.size)" : ""
        for line in ["MAIL FROM:<\(sender?.description ?? "")>\(size)", "RCPT TO:<\(recipient)>", "DATA"] {
            let reply = try ask(line)
            let isWanted = line == "DATA" ? reply.code == 354 : reply.isDone
            guard !isWanted else { continue }
            guard !reply.isPositive else { throw broken("to \(line.prefix(4)) it replies \(reply.code)") }
            reset(after: reply)
            return SendOutcome(refusal: reply, isOfSender: line.hasPrefix("MAIL"))
        }
        return try sendContent(message)
    }

    /// Has the server look at a sender, and nothing more: no letter is begun.
    package func check(sender: OutgoingAddress?) throws(ConnectionError) -> SMTPReply {
        let reply = try ask("MAIL FROM:<\(sender?.description ?? "")>")
        reset(after: reply)
        return reply
    }

    /// Logs out. The server may have hung up already.
    package func quit() {
        guard isUsable else { return }
        channel.ignoresCancellation = true
        _ = try? ask("QUIT", within: deadlines.farewell)
        isUsable = false
    }

    private var announcesSize: Bool {
        channel.announced.contains { $0 == "SIZE" || $0.hasPrefix("SIZE ") }
    }

    /// Ends the letter that was refused, so that the next one can begin. It was refused whatever becomes of the
    /// connection.
    private func reset(after reply: SMTPReply) {
        guard !reply.endsConnection else { return }
        if (try? ask("RSET").isDone) != true { isUsable = false }
    }

    /// Everything but the end of the letter may fail: without it the server has nothing (RFC 5321 §4.1.1.4). From the
    /// first byte of the end on, the outcome is the server's to tell.
    private func sendContent(_ message: MessageData) throws(ConnectionError) -> SendOutcome {
        var stuffing = DotStuffing(message)
        do throws(ConnectionError) {
            while let piece = try Self.piece(&stuffing) { try channel.send(piece, until: .now + deadlines.stall) }
        } catch {
            isUsable = false
            // A server that refuses a letter before it has all of it says so and hangs up.
            if error.code != .messageUnavailable, let outcome = try? earlyOutcome() { return outcome }
            throw error
        }
        transcript?.client("(\(message.size) bytes)")
        if replies.hasMore { return try earlyOutcome() }
        channel.ignoresCancellation = true
        defer { channel.ignoresCancellation = false }
        do throws(ConnectionError) {
            try channel.send(Self.endOfData, until: .now + deadlines.stall)
            let reply = try read(until: .now + deadlines.acceptance)
            guard reply.isDone || !reply.isPositive else {
                throw broken("to the end of the letter it replies \(reply.code)")
            }
            return SendOutcome(reply)
        } catch {
            isUsable = false
            return .uncertain(error.detail.isEmpty ? error.code.rawValue : error.detail)
        }
    }

    /// The next piece of a letter. A file that cannot be read ends the connection before the end of the letter, so that
    /// the server has nothing.
    private static func piece(_ stuffing: inout DotStuffing) throws(ConnectionError) -> [UInt8]? {
        do { return try stuffing.next() } catch {
            throw ConnectionError(.messageUnavailable, during: operation, "\(error)", underlying: error)
        }
    }

    /// The outcome of a letter to which the server replied before its end was sent: it does not have it, whatever it
    /// says.
    private func earlyOutcome() throws(ConnectionError) -> SendOutcome {
        let reply = try read(until: .now + Self.lastWords)
        guard !reply.isPositive else { throw broken("it replies before it is asked") }
        isUsable = false
        return SendOutcome(reply)
    }

    private func ask(_ command: String, within limit: Duration? = nil) throws(ConnectionError) -> SMTPReply {
        // Addresses were checked when they were made; nothing else that comes from outside is in a command.
        guard !command.utf8.contains(where: \.isControl), command.utf8.count <= Self.maxCommandBytes else {
            throw ConnectionError(.badConfiguration, during: "SMTP", "a command with a line end, or too long")
        }
        guard isUsable else { throw ConnectionError(.connectionLost, during: "SMTP", "the connection is closed") }
        transcript?.client(String(command.prefix { $0 != ":" }))
        do throws(ConnectionError) {
            // Text that came without a question would be taken for the reply to this command.
            guard !replies.hasMore else { throw broken("it replies before it is asked") }
            let deadline = ContinuousClock.now + (limit ?? deadlines.reply)
            try channel.send(Array("\(command)\r\n".utf8), until: deadline)
            return try read(until: deadline)
        } catch var error {
            isUsable = false
            if error.operation != Self.operation { error.operation = String(command.prefix { $0 != ":" }) }
            throw error
        }
    }

    private func read(until deadline: ContinuousClock.Instant) throws(ConnectionError) -> SMTPReply {
        let reply = try replies.next(until: deadline)
        transcript?.server("\(reply)")
        if reply.endsConnection { isUsable = false }
        return reply
    }

    private static let operation = "the dialogue"

    private func broken(_ detail: String) -> ConnectionError {
        isUsable = false
        return ConnectionError(.protocolViolation, during: Self.operation, detail)
    }
}
