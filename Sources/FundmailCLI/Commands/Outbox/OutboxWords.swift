import FundCore

/// Words for letters on a terminal.
enum OutboxWords {
    /// A sentence about a state, for the one who looks at a letter.
    static func meaning(_ state: OutboxLetter.State) -> String {
        switch state {
        case .queued: "It waits for its first attempt."
        case .sending: "It is being handed to the mail server."
        case .sent: "The mail server took it, and answers for it from there."
        case .deferred: "The mail server did not take it for now. It is tried again by itself."
        case .failed: "The mail server refused it, or did not take it for two days. It is not tried again by itself."
        case .uncertain: "The whole letter went out, and no answer came: it may have arrived."
        case .dropped: "It was given up, and is not sent any more."
        }
    }

    /// The event that a letter tells of, with the subject of the mail.
    static func about(_ cause: OutboxCause, _ message: AuditNames.Message?) -> String {
        guard cause.isAboutMessage else { return event(cause.kind) }
        let mail = message.map { $0.subject.flatMap { $0.isEmpty ? nil : "“\($0)”" } ?? "mail without a subject" }
        return "\(event(cause.kind)): \(mail ?? "mail that is gone")"
    }

    private static func event(_ kind: OutboxCause.Kind) -> String {
        switch kind {
        case .filed: "filed"
        case .kept: "kept"
        case .filedLater: "filed later"
        case .news: "new in their funds"
        case .desk: "the desk"
        case .letter: "written by a person"
        case .webhook: "a webhook was stopped"
        }
    }
}
