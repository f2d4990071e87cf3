/// A logged-in IMAP connection (RFC 3501, RFC 9051): sends commands, several at a time, and gives the answers one by
/// one.
///
/// Blocks; used by one thread at a time. After an error that `endsConnection` it is of no use any more.
final class IMAPSession: MailSession {
    /// Identifies a command that was sent (RFC 3501 §2.2.1).
    struct Tag: Hashable {
        let text: String

        /// libcurl's tags begin with A: a late answer to a command of the login is never taken for one of these.
        init(number: Int) { text = "F\(number)" }
    }

    enum Event: Equatable {
        case completed(Tag, IMAPStatus)
        case fetch(IMAPFetch)
        case exists(UInt32)
        case expunge(UInt32)
        case search([UID])
        /// An untagged `OK`, `NO` or `BAD` with its code.
        case status(IMAPStatus)
        case continuation
        case rights(String)
        case namespace(IMAPNamespace?)
        case quota([String: IMAPQuota])
        case other
    }

    private struct Command {
        var tag: Tag
        /// For people and transcripts.
        var name: String
        /// How long the server may take once the commands before it are done.
        var allowance: Duration
    }

    private let channel: any ByteChannel
    let deadlines: FetchDeadlines
    private let transcript: Transcript?
    private let bytes: ByteReader
    private var reader: IMAPResponseReader
    private var outstanding: [Command] = []
    private var unsent: [UInt8] = []
    private var submitted = 0
    /// In capitals.
    private(set) var capabilities: Set<String> = []
    /// Messages in the selected mailbox, as the server said last.
    private(set) var exists: UInt32 = 0
    var isLoggingOut = false
    /// An answer was begun and not read to its end: the connection is of no use.
    private(set) var isMidAnswer = false
    private var hurriedAllowance: Duration?
    /// Responses since the last command was done. Time counts only while this side waits, so responses without a pause
    /// must be counted.
    private var talk = 0
    /// Upper bound for the messages of a folder; the listing of one takes about a hundred bytes here.
    static let maxMessages = 4_000_000
    private static let maxTalk = 2 * maxMessages

    init(channel: any ByteChannel, deadlines: FetchDeadlines, transcript: Transcript?) {
        self.channel = channel
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

    /// Something that the server said waits to be read.
    var hasBufferedBytes: Bool { bytes.hasBuffered }

    var runEnd: ContinuousClock.Instant? {
        get { bytes.runEnd }
        set { bytes.runEnd = newValue }
    }

    func has(_ capability: String) -> Bool { capabilities.contains(capability) }

    /// From now on a cancellation does not end waits, but nothing may take longer than this.
    func hurry(_ limit: Duration) {
        channel.ignoresCancellation = true
        bytes.commandAllowance = min(bytes.commandAllowance, limit)
        for index in outstanding.indices { outstanding[index].allowance = min(outstanding[index].allowance, limit) }
        hurriedAllowance = limit
    }

    // MARK: Commands

    /// Adds a command to those that are sent with the next wait. `expecting`: message bytes that the answer will hold.
    func submit(_ command: String, expecting bytes: UInt64 = 0) -> Tag {
        submitted += 1
        let tag = Tag(number: submitted)
        let line = "\(tag.text) \(command)"
        transcript?.client(line)
        unsent += Array("\(line)\r\n".utf8)
        let name = command.split(separator: " ").prefix(command.hasPrefix("UID ") ? 2 : 1).joined(separator: " ")
        if outstanding.isEmpty { self.bytes.commandAllowance = allowance(bytes) }
        outstanding.append(Command(tag: tag, name: name, allowance: allowance(bytes)))
        return tag
    }

    /// The answer to a command that was sent before will hold so many bytes.
    func expect(_ bytes: UInt64, of tag: Tag) {
        guard hurriedAllowance == nil, let index = outstanding.firstIndex(where: { $0.tag == tag }) else { return }
        outstanding[index].allowance += deadlines.transfer(of: bytes)
        if index == 0 { self.bytes.commandAllowance += deadlines.transfer(of: bytes) }
    }

    private func allowance(_ bytes: UInt64) -> Duration {
        hurriedAllowance ?? (deadlines.response * 5 + deadlines.transfer(of: bytes))
    }

    /// Sends LOGOUT (RFC 3501 §6.1.3) without reading the answer: the session cannot be used after it.
    func sayGoodbye() {
        _ = submit("LOGOUT")
        try? sendWaiting()
    }

    /// Ends an IDLE (RFC 2177).
    func sendDone() {
        transcript?.client("DONE")
        unsent += Array("DONE\r\n".utf8)
        bytes.commandAllowance = deadlines.response
    }

    /// Sends a command and waits for its end; what comes meanwhile goes to `handle`. Throws `commandRefused` on NO and
    /// BAD.
    @discardableResult
    func run(
        _ command: String, expecting bytes: UInt64 = 0, _ handle: (Event) throws(FetchError) -> Void = { _ in }
    ) throws(FetchError) -> IMAPStatus {
        let tag = submit(command, expecting: bytes)
        while true {
            let event = try next()
            guard case .completed(tag, let status) = event else {
                try handle(event)
                continue
            }
            return try Self.checked(status, during: command)
        }
    }

    static func checked(_ status: IMAPStatus, during command: String) throws(FetchError) -> IMAPStatus {
        guard status.kind != .ok else { return status }
        throw FetchError(refusal: status.line, during: command)
    }

    // MARK: Answers

    /// Sends what is waiting and reads one answer.
    func next() throws(FetchError) -> Event {
        try sendWaiting()
        bytes.answerAllowance = deadlines.response
        _ = try bytes.peek()
        isMidAnswer = true
        let response = try reader.next()
        isMidAnswer = false
        talk += 1
        guard talk <= Self.maxTalk else { throw IMAPResponseReader.violation("talk without end") }
        note(response)
        return try event(response)
    }

    /// For IDLE: nil when the server says nothing for this long.
    func next(within time: Duration) throws(FetchError) -> Event? {
        try sendWaiting()
        guard try bytes.waitForData(atMost: time) else { return nil }
        bytes.commandAllowance = max(bytes.commandAllowance, deadlines.response)
        return try next()
    }

    private func sendWaiting() throws(FetchError) {
        guard !unsent.isEmpty else { return }
        try channel.send(unsent, until: .now + min(deadlines.stall, hurriedAllowance ?? deadlines.stall))
        unsent.removeAll(keepingCapacity: true)
    }

    private func event(_ response: IMAPResponse) throws(FetchError) -> Event {
        switch response {
        case .tagged(let text, let status):
            guard let index = outstanding.firstIndex(where: { $0.tag.text == text }) else {
                throw IMAPResponseReader.violation("an answer to no command of ours")
            }
            let tag = outstanding.remove(at: index).tag
            talk = 0
            if index == 0, let head = outstanding.first { bytes.commandAllowance = head.allowance }
            if status.code == "CAPABILITY" { learn(status.argument) }
            return .completed(tag, status)
        case .status(let status):
            if status.kind == .bye, !isLoggingOut { throw goodbye(status) }
            if status.kind == .preauth { throw IMAPResponseReader.violation("a greeting in the middle") }
            if status.code == "CAPABILITY" { learn(status.argument) }
            return .status(status)
        case .capability(let names):
            capabilities = Set(names)
            return .other
        case .exists(let count):
            exists = count
            return .exists(count)
        case .expunge(let number):
            if exists > 0 { exists -= 1 }
            return .expunge(number)
        case .fetch(let fetch): return .fetch(fetch)
        case .search(let uids): return .search(uids)
        case .continuation: return .continuation
        case .rights(let rights): return .rights(rights)
        case .namespace(let namespace): return .namespace(namespace)
        case .quota(let quota): return .quota(quota)
        case .list, .other: return .other
        }
    }

    private func learn(_ argument: String) {
        capabilities = Set(argument.split(separator: " ").map { $0.uppercased() })
    }

    private func goodbye(_ status: IMAPStatus) -> FetchError {
        FetchError(refusal: status.line, during: outstanding.first?.name ?? "waiting", else: .connectionLost)
    }

    /// For the transcript: nothing of a message is in a response.
    private func note(_ response: IMAPResponse) {
        guard let transcript else { return }
        switch response {
        case .tagged(let tag, let status): transcript.server("\(tag) \(status.kind.rawValue) \(status.line)")
        case .status(let status): transcript.server("* \(status.kind.rawValue) \(status.line)")
        case .continuation: transcript.server("+")
        case .capability(let names): transcript.server("* CAPABILITY \(names.joined(separator: " "))")
        case .exists(let count): transcript.server("* \(count) EXISTS")
        case .expunge(let number): transcript.server("* \(number) EXPUNGE")
        case .search(let found): transcript.server("* SEARCH (\(found.count) numbers)")
        case .rights(let rights): transcript.server("* MYRIGHTS \(rights)")
        case .list(let folder): transcript.server("* LIST \(folder.name)")
        case .namespace(let namespace): transcript.server("* NAMESPACE \(namespace?.prefix ?? "NIL")")
        case .quota(let quota): transcript.server("* QUOTA (\(quota.count) resources)")
        case .other(let name): transcript.server("* \(name)")
        case .fetch(let fetch):
            let uid = fetch.uid.map { " UID \($0)" } ?? ""
            switch fetch.body {
            case .none: transcript.server("* \(fetch.sequence) FETCH (\(uid.dropFirst()))")
            case .unavailable: transcript.server("* \(fetch.sequence) FETCH (BODY NIL\(uid))")
            case .received(let section, _, let size):
                transcript.server("* \(fetch.sequence) FETCH (\(section) {\(size)} (left out)\(uid))")
            }
        }
    }
}
