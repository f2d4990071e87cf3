internal import MailConnection

/// A logged-in IMAP connection (RFC 3501, RFC 9051): sends commands, several at a time, and reads one answer at a time.
///
/// Blocks; used by one thread at a time. After an error that `endsConnection` it is of no use any more.
final class IMAPSession: MailSession {
    private struct Command {
        var tag: IMAPTag
        /// For people and transcripts.
        var name: String
        /// How long the server may take once the commands before it are done.
        var allowance: Duration
    }

    private let channel: any ByteChannel
    let deadlines: FetchDeadlines
    private let transcript: Transcript?
    let bytes: ByteReader
    private var reader: IMAPResponseReader
    private var outstanding: [Command] = []
    private var unsent: [UInt8] = []
    private var submitted = 0
    /// In capitals.
    private(set) var capabilities: Set<String>
    /// Messages in the selected mailbox, as the server said last.
    private(set) var exists: UInt32 = 0
    private var isLoggingOut = false
    private(set) var isMidAnswer = false
    /// Whether the server talks without end: it is not listened to any more, not even for its farewell.
    var isFlooded = false
    private var hurriedAllowance: Duration?
    /// Responses since the last command was done, which are limited: time counts only while this side waits, so a
    /// server that talks without a pause would have no deadline.
    private var talk = 0
    /// Upper bound for the messages of a folder; the listing of one takes about a hundred bytes here.
    static let maxMessages = 4_000_000
    private static let maxTalk = 2 * maxMessages

    init(channel: any ByteChannel, deadlines: FetchDeadlines, transcript: Transcript?) {
        self.channel = channel
        capabilities = channel.announced
        self.deadlines = deadlines
        self.transcript = transcript
        bytes = ByteReader(channel: channel, stall: deadlines.stall)
        reader = IMAPResponseReader(bytes: bytes)
        reader.transferTime = deadlines.transfer
    }

    var sink: (any IMAPBodySink)? {
        get { reader.sink }
        set { reader.sink = newValue }
    }

    func has(_ capability: String) -> Bool { capabilities.contains(capability) }

    func hurry(_ limit: Duration) {
        channel.ignoresCancellation = true
        bytes.commandAllowance = min(bytes.commandAllowance, limit)
        for index in outstanding.indices { outstanding[index].allowance = min(outstanding[index].allowance, limit) }
        hurriedAllowance = limit
    }

    // MARK: Commands

    /// Adds a command to those that are sent with the next wait. `expecting`: message bytes that the answer will hold.
    func submit(_ command: String, expecting bytes: UInt64 = 0) -> IMAPTag {
        submitted += 1
        // libcurl's tags begin with A: a late answer to a command of the login is never taken for an answer to one of
        // these.
        let tag = IMAPTag(text: "F\(submitted)")
        let line = "\(tag.text) \(command)"
        transcript?.client(line)
        unsent += Array("\(line)\r\n".utf8)
        let name = command.split(separator: " ").prefix(command.hasPrefix("UID ") ? 2 : 1).joined(separator: " ")
        if outstanding.isEmpty { self.bytes.commandAllowance = allowance(bytes) }
        outstanding.append(Command(tag: tag, name: name, allowance: allowance(bytes)))
        return tag
    }

    /// The answer to a command that was sent before will hold so many bytes.
    func expect(_ bytes: UInt64, of tag: IMAPTag) {
        guard hurriedAllowance == nil, let index = outstanding.firstIndex(where: { $0.tag == tag }) else { return }
        outstanding[index].allowance += deadlines.transfer(of: bytes)
        if index == 0 { self.bytes.commandAllowance += deadlines.transfer(of: bytes) }
    }

    private func allowance(_ bytes: UInt64) -> Duration {
        hurriedAllowance ?? (deadlines.response * 5 + deadlines.transfer(of: bytes))
    }

    /// Logs out (RFC 3501 §6.1.3). The session cannot be used after it.
    func logOut(waitsForAnswer: Bool) {
        isLoggingOut = true
        guard !waitsForAnswer else { return _ = try? run("LOGOUT") }
        _ = submit("LOGOUT")
        try? sendWaiting()
    }

    /// Ends an IDLE (RFC 2177).
    func sendDone() {
        transcript?.client("DONE")
        unsent += Array("DONE\r\n".utf8)
        bytes.commandAllowance = deadlines.response
    }

    /// Sends a command and waits for its end; what comes meanwhile goes to `handle`. Throws `commandRefused`.
    @discardableResult
    func run(
        _ command: String, expecting bytes: UInt64 = 0,
        _ handle: (IMAPResponse) throws(ConnectionError) -> Void = { _ in }
    ) throws(ConnectionError) -> IMAPStatus {
        let tag = submit(command, expecting: bytes)
        while true {
            let response = try next()
            if case .tagged(tag, let status) = response { return try Self.checked(status, during: command) }
            try handle(response)
        }
    }

    static func checked(_ status: IMAPStatus, during command: String) throws(ConnectionError) -> IMAPStatus {
        guard status.kind != .ok else { return status }
        throw ConnectionError(refusal: status.line, during: command)
    }

    // MARK: Answers

    /// Sends what is waiting and reads one answer.
    func next() throws(ConnectionError) -> IMAPResponse {
        try sendWaiting()
        bytes.answerAllowance = deadlines.response
        _ = try bytes.peek()
        isMidAnswer = true
        let response = try reader.next()
        isMidAnswer = false
        talk += 1
        guard talk <= Self.maxTalk else { throw IMAPResponseReader.violation("talk without end") }
        transcript?.server(response.summary)
        try updateState(response)
        return response
    }

    /// For IDLE: nil when the server says nothing for this long.
    func next(within time: Duration) throws(ConnectionError) -> IMAPResponse? {
        try sendWaiting()
        guard try bytes.waitForData(atMost: time) else { return nil }
        bytes.commandAllowance = max(bytes.commandAllowance, deadlines.response)
        return try next()
    }

    private func sendWaiting() throws(ConnectionError) {
        guard !unsent.isEmpty else { return }
        try channel.send(unsent, until: .now + min(deadlines.stall, hurriedAllowance ?? deadlines.stall))
        unsent.removeAll(keepingCapacity: true)
    }

    /// Takes what a response says of the session itself.
    private func updateState(_ response: IMAPResponse) throws(ConnectionError) {
        switch response {
        case .tagged(let tag, let status):
            guard let index = outstanding.firstIndex(where: { $0.tag == tag }) else {
                throw IMAPResponseReader.violation("an answer to no command of ours")
            }
            outstanding.remove(at: index)
            talk = 0
            if index == 0, let head = outstanding.first { bytes.commandAllowance = head.allowance }
            learn(status)
        case .status(let status):
            if status.kind == .bye, !isLoggingOut { throw goodbye(status) }
            if status.kind == .preauth { throw IMAPResponseReader.violation("a greeting in the middle") }
            learn(status)
        case .capability(let names): capabilities = Set(names)
        case .exists(let count): exists = count
        case .expunge: if exists > 0 { exists -= 1 }
        default: break
        }
    }

    private func learn(_ status: IMAPStatus) {
        guard status.code == "CAPABILITY" else { return }
        capabilities = Set(status.argument.split(separator: " ").map { $0.uppercased() })
    }

    private func goodbye(_ status: IMAPStatus) -> ConnectionError {
        ConnectionError(refusal: status.line, during: outstanding.first?.name ?? "waiting", else: .connectionLost)
    }
}
