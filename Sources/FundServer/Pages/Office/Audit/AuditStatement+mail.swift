internal import FundCore

/// Entries about mail: what was done at the desk, and what was filed twice.
extension AuditStatement {
    mutating func tellOfMessage(_ action: AuditAction, _ entry: AuditEntry) {
        let actor = Value.person(entry.actor)
        if action == .emailFile { return tellOfSecondFiling(entry, by: actor) }
        if action == .misroutePurge { return tellOfWithdrawal(entry, by: actor) }
        let message = entry.id(of: "misrouted").map { Value.message($0) } ?? .text(entry.subject)
        switch action {
        case .misrouteFile:
            if let (fund, owner) = Self.place(behind: " in ", in: entry.detail) {
                say(action.rawValue, actor, message, .fund(fund), .person(owner))
            } else {
                say("misroute.file.plain", actor, message)
                quote(entry.detail)
            }
        case .misrouteLater:
            if let until = entry.until {
                say(action.rawValue, actor, message, .time(until))
            } else {
                say("misroute.later.now", actor, message)
            }
        case .misrouteLearn, .misrouteForget: say(action.rawValue, actor, message, .text(entry.detail))
        case .misrouteUndo: tellOfUndo(entry, of: message, by: actor)
        case .misrouteSupersede:
            say(action.rawValue, actor, message)
            tellOfOther(entry.detail)
        default:
            say(action.rawValue, actor, message)
            // The note of an administrator, in their language.
            if !entry.detail.isEmpty { add("note", .text(entry.detail)) }
        }
    }

    /// `email 5 in Fund1 of ann@example.com`: fund and owner. A name may hold ` of `, an address none.
    private static func place(behind word: String, in detail: String) -> (fund: String, owner: String)? {
        guard let start = detail.firstRange(of: word)?.upperBound,
            let end = detail.ranges(of: " of ").last, start <= end.lowerBound
        else { return nil }
        return (String(detail[start..<end.lowerBound]), String(detail[end.upperBound...]))
    }

    private mutating func tellOfUndo(_ entry: AuditEntry, of message: Value, by actor: Value) {
        let words = entry.detail.split(separator: " ")
        guard words.count == 4, words[1] == "of", words[2] == "act" else {
            say("misroute.undo", actor, message)
            return tellOfOther(entry.detail)
        }
        let key = "misroute.undo.\(words[0])"
        say(Words.table["statement.\(key)"] == nil ? "misroute.undo" : key, actor, message)
    }

    /// Adds the other message that a detail names.
    private mutating func tellOfOther(_ detail: String) {
        let (filed, whole, copy) = ("filed as email ", "see misrouted ", "a copy of misrouted ")
        func number(behind word: String) -> Int64? {
            detail.firstRange(of: word).flatMap { AuditEntry.number(behind: word, in: detail[$0.lowerBound...]) }
        }
        if let email = number(behind: filed) {
            add("filed", .email(EmailSummary.ID(email)))
        } else if let message = number(behind: whole) {
            add("whole", .message(MisrouteRecord.ID(message)))
        } else if let message = number(behind: copy) {
            add("copy", .message(MisrouteRecord.ID(message)))
        } else {
            quote(detail)
        }
    }

    private mutating func tellOfSecondFiling(_ entry: AuditEntry, by actor: Value) {
        let email = entry.id(of: "email").map { Value.email($0) } ?? .text(entry.subject)
        let parts = entry.detail.split(separator: "; ", maxSplits: 1)
        guard parts.count == 2, let (fund, owner) = Self.place(behind: "in ", in: String(parts[0])) else {
            say("email.file.plain", actor, email)
            return quote(entry.detail)
        }
        say("email.file", actor, email, .fund(fund), .person(owner))
        let copy = AuditEntry.number(behind: "a copy that was filed by hand lies elsewhere, as email ", in: parts[1])
        if let copy { add("byhand", .email(EmailSummary.ID(copy))) } else { quote(String(parts[1])) }
    }

    private mutating func tellOfWithdrawal(_ entry: AuditEntry, by actor: Value) {
        let user: User.ID? = entry.id(of: "user")
        say("misroute.purge", actor, user.map { .user($0) } ?? .text(entry.subject))
        tellOfAmount(entry)
    }

    mutating func tellOfAmount(_ entry: AuditEntry) {
        guard let (items, bytes) = entry.amount else { return quote(entry.detail) }
        add("amount", .items(items), .bytes(bytes))
    }
}
