internal import MailConnection

/// State of a mailbox by the answer to SELECT or EXAMINE (RFC 3501 §6.3.1).
struct IMAPMailboxState: Equatable {
    /// UIDVALIDITY.
    var epoch: UIDValidity
    var exists: UInt32
    /// The next message will have this one or a larger one; nil when the server does not say.
    var uidNext: UID?
    var isReadOnly: Bool
    /// Flags that can be changed for good; nil: all (RFC 3501 §7.1).
    var permanentFlags: [String]?

    func canSet(_ flag: String) -> Bool {
        guard !isReadOnly else { return false }
        guard let permanentFlags else { return true }
        let wanted = flag.lowercased()
        return permanentFlags.contains { $0.lowercased() == wanted || ($0 == "\\*" && !wanted.hasPrefix("\\")) }
    }
}

/// Gathers the answers to SELECT.
struct IMAPSelecting {
    private var epoch: UIDValidity?
    private var exists: UInt32 = 0
    private var uidNext: UID?
    private var permanentFlags: [String]?

    mutating func take(_ event: IMAPResponse) {
        if case .exists(let count) = event { exists = count }
        guard case .status(let status) = event else { return }
        switch status.code {
        case "UIDVALIDITY": epoch = UIDValidity(status.argument)
        case "UIDNEXT": uidNext = UID(status.argument)
        case "PERMANENTFLAGS":
            permanentFlags = status.argument.split { " ()".contains($0) }.map(String.init)
        default: break
        }
    }

    /// `mailboxUnavailable` when the server refused, `unsupported` when its UIDs do not last.
    func finish(_ status: IMAPStatus, examining: Bool, during operation: String) throws(ConnectionError)
        -> IMAPMailboxState
    {
        guard status.kind == .ok else {
            throw ConnectionError(refusal: status.line, during: operation, else: .mailboxUnavailable)
        }
        guard let epoch else {
            throw ConnectionError(
                .unsupported, during: operation, "the server's message numbers do not last (no UIDVALIDITY)")
        }
        let isReadOnly = status.code == "READ-ONLY" || (examining && status.code != "READ-WRITE")
        return IMAPMailboxState(
            epoch: epoch, exists: exists, uidNext: uidNext, isReadOnly: isReadOnly || examining,
            permanentFlags: permanentFlags)
    }
}

extension IMAPSession {
    /// A command that was sent together with SELECT. Its answer has no meaning when SELECT failed.
    struct Companion {
        var tag: IMAPTag
        /// Answers to it that came before SELECT was done: some servers do not keep to the order.
        var early: [IMAPFetch] = []
        /// Bounds the memory; real servers send few.
        static let maxEarly = 1000
    }

    /// Asks for the capabilities and opens a mailbox (RFC 3501 §6.3.1, §6.3.2) with one round trip.
    func select(_ mailbox: String, examining: Bool) throws(ConnectionError) -> IMAPMailboxState {
        try select(mailbox, examining: examining, with: nil).state
    }

    /// Selects, with a first command to the mailbox in the same round trip, whose answer is left to the caller.
    func select(
        _ mailbox: String, examining: Bool, with command: String?
    ) throws(ConnectionError) -> (state: IMAPMailboxState, companion: Companion?) {
        let identifies = has("ID")
        var unanswered: IMAPTag?
        do {
            return try select(mailbox, examining, with: command, identifying: identifies, &unanswered)
        } catch {
            // Only after the login it named ID.
            guard error.code == .clientRefused, !identifies, has("ID") else { throw error }
            // The second SELECT must not meet the answer to what was sent with the first.
            while let tag = unanswered {
                if case .tagged(tag, _) = try next() { unanswered = nil }
            }
            return try select(mailbox, examining, with: command, identifying: true, &unanswered)
        }
    }

    /// - Parameters:
    ///   - identifying: says first which program this is (RFC 2971): NetEase opens no mailbox without.
    ///   - unanswered: the command whose answer is still to come.
    private func select(
        _ mailbox: String, _ examining: Bool, with command: String?, identifying: Bool, _ unanswered: inout IMAPTag?
    ) throws(ConnectionError) -> (state: IMAPMailboxState, companion: Companion?) {
        let selecting = "\(examining ? "EXAMINE" : "SELECT") \(IMAPMailboxName.quoted(mailbox))"
        let capability = submit("CAPABILITY")
        let identification = identifying ? submit("ID (\"name\" \"Fundmail\")") : nil
        let selection = submit(selecting)
        var companion = command.map { Companion(tag: submit($0)) }
        var gathered = IMAPSelecting()
        while true {
            let event = try next()
            gathered.take(event)
            switch event {
            case .tagged(capability, let status): _ = try Self.checked(status, during: "CAPABILITY")
            case .tagged(selection, let status):
                unanswered = companion?.tag
                return (try gathered.finish(status, examining: examining, during: selecting), companion)
            // Whatever it says: SELECT shows whether that was needed.
            case .tagged(identification, _): break
            case .tagged: throw IMAPResponseReader.violation("an answer before its turn")
            case .fetch(let fetch):
                companion?.early.append(fetch)
                guard companion?.early.count ?? 0 <= Companion.maxEarly else {
                    throw IMAPResponseReader.violation("too many answers before their turn")
                }
            default: break
            }
        }
    }
}
