extension JSONWriter {
    /// Writes the members of a letter, as the web API and the commands have them.
    /// - Parameters:
    ///   - message: the mail that it is about; nil when that is gone.
    ///   - time: writes a member with a time as the interface has it.
    package mutating func letter(
        _ letter: OutboxLetter, about message: AuditNames.Message?,
        time: (inout JSONWriter, StaticString, Timestamp?) -> Void
    ) {
        field("id", letter.id)
        field("state", letter.state.rawValue)
        field("recipient", letter.recipient)
        field("cause", letter.cause.kind.rawValue)
        field("email_id", letter.cause.email)
        field("misroute_id", letter.cause.misroute)
        field("digest_id", letter.cause.digest)
        field("subject", message?.subject)
        field("sender", message?.sender)
        field("attempts", letter.attempts)
        time(&self, "queued_at", letter.queuedAt)
        time(&self, "due_at", letter.dueAt)
        time(&self, "changed_at", letter.changedAt)
        field("note", letter.note)
        field("mark", letter.mark)
    }
}
