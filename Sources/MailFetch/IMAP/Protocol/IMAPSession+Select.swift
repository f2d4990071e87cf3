extension IMAPSession {
    /// A command that was sent together with SELECT. Its answer has no meaning when SELECT failed.
    struct Companion {
        var tag: Tag
        /// What came of it before SELECT was done: some servers do not keep to the order.
        var early: [IMAPFetch] = []
        /// Bounds the memory; real servers send few.
        static let maxEarly = 1000
    }

    /// Asks for the capabilities and opens a mailbox (RFC 3501 §6.3.1, §6.3.2) with one round trip.
    func select(_ mailbox: String, examining: Bool) throws(FetchError) -> IMAPMailboxState {
        try select(mailbox, examining: examining, with: nil).state
    }

    /// The same, and sends a first command to the mailbox without waiting for it: a round trip less. Its answer is left
    /// to the caller.
    func select(
        _ mailbox: String, examining: Bool, with command: String?
    ) throws(FetchError) -> (state: IMAPMailboxState, companion: Companion?) {
        let selecting = "\(examining ? "EXAMINE" : "SELECT") \(IMAPMailboxName.quoted(mailbox))"
        let capability = submit("CAPABILITY")
        let selection = submit(selecting)
        var companion = command.map { Companion(tag: submit($0)) }
        var gathered = IMAPSelecting()
        while true {
            let event = try next()
            gathered.take(event)
            switch event {
            case .completed(capability, let status): _ = try Self.checked(status, during: "CAPABILITY")
            case .completed(selection, let status):
                return (try gathered.finish(status, examining: examining, during: selecting), companion)
            case .completed: throw IMAPResponseReader.violation("an answer before its turn")
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
