extension IMAPSession {
    /// Asks what the server can do and opens a mailbox (RFC 3501 §6.3.1, §6.3.2), in one flight.
    func select(_ mailbox: String, examining: Bool) throws(FetchError) -> IMAPMailboxState {
        let command = "\(examining ? "EXAMINE" : "SELECT") \(IMAPMailboxName.quoted(mailbox))"
        let capability = submit("CAPABILITY")
        let selection = submit(command)
        var selecting = IMAPSelecting()
        while true {
            let event = try next()
            selecting.take(event)
            switch event {
            case .completed(capability, let status): _ = try Self.checked(status, during: "CAPABILITY")
            case .completed(selection, let status):
                return try selecting.finish(status, examining: examining, during: command)
            default: break
            }
        }
    }
}
