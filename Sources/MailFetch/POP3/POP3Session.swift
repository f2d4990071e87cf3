internal import MailConnection
internal import FundCore

/// A logged-in POP3 connection (RFC 1939): sends commands, several at a time where it may, reads answers in order.
///
/// Blocks; used by one thread at a time. After an error that `endsConnection` it is of no use any more.
final class POP3Session: MailSession {
    struct Status: Equatable {
        var isOK: Bool
        /// Controls taken out.
        var text: String
    }

    private static let maxLineBytes = 4096  // RFC 2449 §4: 512; some servers write more
    /// Two million messages with long names.
    private static let maxListingBytes = 256 * 1024 * 1024

    private let channel: any ByteChannel
    private let deadlines: FetchDeadlines
    private let transcript: Transcript?
    let bytes: ByteReader
    private var unsent: [UInt8] = []
    private var hurriedAllowance: Duration?
    /// Names in capitals, with their arguments; nil when the server knows no CAPA (RFC 2449).
    private(set) var capabilities: [String: String]?

    var isMidAnswer = false

    init(channel: any ByteChannel, deadlines: FetchDeadlines, transcript: Transcript?) {
        self.channel = channel
        self.deadlines = deadlines
        self.transcript = transcript
        bytes = ByteReader(channel: channel, stall: deadlines.stall)
    }

    func has(_ capability: String) -> Bool { capabilities?[capability] != nil }

    func hurry(_ limit: Duration) {
        channel.ignoresCancellation = true
        hurriedAllowance = limit
    }

    /// Adds a command to those that are sent with the next wait.
    func submit(_ command: String) {
        transcript?.client(command)
        unsent += Array("\(command)\r\n".utf8)
    }

    /// The first line of the next answer.
    func status() throws(ConnectionError) -> Status {
        if !unsent.isEmpty {
            try channel.send(unsent, until: .now + deadlines.stall)
            unsent.removeAll(keepingCapacity: true)
        }
        bytes.answerAllowance = hurriedAllowance ?? deadlines.response
        bytes.commandAllowance = bytes.answerAllowance
        _ = try bytes.peek()
        isMidAnswer = true
        let line = try bytes.line(limit: Self.maxLineBytes)
        let text = String(decoding: line.map { $0.isControl ? UInt8.space : $0 }, as: UTF8.self)
        transcript?.server(text)
        let word = text.prefix { $0 != " " }.uppercased()
        guard word == "+OK" || word == "-ERR" else {
            throw ConnectionError(.protocolViolation, during: "reading an answer", "neither +OK nor -ERR")
        }
        return Status(isOK: word == "+OK", text: String(text.dropFirst(word.count + 1)))
    }

    /// The rest of a multi-line answer, line by line.
    func lines(_ take: ([UInt8]) throws(ConnectionError) -> Void) throws(ConnectionError) {
        var left = Self.maxListingBytes
        var count = 0
        while true {
            var line = try bytes.line(limit: Self.maxLineBytes)
            if line == [.dot] { break }
            if line.first == .dot { line.removeFirst() }
            earn(UInt64(line.count + 2))
            left -= line.count + 64
            guard left > 0 else {
                throw ConnectionError(.protocolViolation, during: "reading a list", "a list without end")
            }
            count += 1
            try take(line)
        }
        transcript?.server("(\(count) lines)")
    }

    /// The rest of a multi-line answer as plain bytes. Returns only when its end has come.
    func body(_ take: (UnsafeRawBufferPointer) throws(ConnectionError) -> Void) throws(ConnectionError) {
        var unstuffing = DotUnstuffing()
        while !unstuffing.isComplete {
            let count = try bytes.withAvailable { chunk throws(ConnectionError) in
                let taken = try unstuffing.feed(chunk, take)
                return (taken, taken)
            }
            earn(UInt64(count))
        }
        transcript?.server("(left out)")
    }

    /// Extends the time by what so many bytes may take.
    private func earn(_ count: UInt64) {
        guard hurriedAllowance == nil else { return }
        bytes.answerAllowance += deadlines.transfer(of: count)
        bytes.commandAllowance = bytes.answerAllowance
    }

    /// RFC 2449. A server without it answers -ERR.
    func learnCapabilities() throws(ConnectionError) {
        submit("CAPA")
        guard try status().isOK else { return }
        var found: [String: String] = [:]
        try lines { line throws(ConnectionError) in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
            if let name = words.first { found[name.uppercased()] = words.count > 1 ? String(words[1]) : "" }
        }
        capabilities = found
    }

    /// Switches UTF8 on where the server knows it (RFC 6856 §2). To be called after `learnCapabilities`.
    ///
    /// QUIRK: without UTF8 Courier gives a message with UTF-8 in its header only as an attachment of another. RFC 6856
    /// §2.1 has UTF8 before the login, where libcurl sends none; Courier accepts it later, others may refuse it.
    func acceptUTF8() throws(ConnectionError) {
        guard has("UTF8") else { return }
        submit("UTF8")
        _ = try status()
        isMidAnswer = false
    }
}
