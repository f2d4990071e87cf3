/// What SELECT or EXAMINE said (RFC 3501 §6.3.1).
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

    mutating func take(_ event: IMAPSession.Event) {
        switch event {
        case .exists(let count): exists = count
        case .status(let status): take(status)
        default: break
        }
    }

    private mutating func take(_ status: IMAPStatus) {
        switch status.code {
        case "UIDVALIDITY": epoch = UIDValidity(status.argument)
        case "UIDNEXT": uidNext = UID(status.argument)
        case "PERMANENTFLAGS":
            permanentFlags = status.argument.split { " ()".contains($0) }.map(String.init)
        default: break
        }
    }

    /// `mailboxUnavailable` when the server refused, `unsupported` when its UIDs do not last.
    func finish(_ status: IMAPStatus, examining: Bool, during operation: String) throws(FetchError) -> IMAPMailboxState
    {
        guard status.kind == .ok else {
            throw FetchError(refusal: status.line, during: operation, else: .mailboxUnavailable)
        }
        guard let epoch else {
            throw FetchError(
                .unsupported, during: operation, "the server's message numbers do not last (no UIDVALIDITY)")
        }
        let isReadOnly = status.code == "READ-ONLY" || (examining && status.code != "READ-WRITE")
        return IMAPMailboxState(
            epoch: epoch, exists: exists, uidNext: uidNext, isReadOnly: isReadOnly || examining,
            permanentFlags: permanentFlags)
    }
}
