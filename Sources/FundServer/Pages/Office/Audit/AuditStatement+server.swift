internal import FundCore

/// Entries about the trash, contents of files, mailboxes, the log and the store.
extension AuditStatement {
    mutating func tellOfTrash(_ action: AuditAction, _ entry: AuditEntry) {
        let actor = Value.person(entry.actor)
        switch (action, entry.subject) {
        case (.trashDelete, _):
            let kind = entry.subject.prefix { $0 != " " }
            let isKnown = ItemKind(name: String(kind)) != nil
            say(isKnown ? "trash.delete.\(kind)" : "trash.delete", actor, .text(entry.subject))
        case (.trashEmpty, "everybody"): say("trash.empty.all", actor)
        case (.trashEmpty, entry.actor): say("trash.empty.own", actor)
        case (.trashEmpty, _): say("trash.empty", actor, .person(entry.subject))
        case (_, "deleted items"): say("retention.items", actor)
        case (_, "raw messages"): return tellOfOriginals(entry, by: actor)
        case (_, "clock"): return tellOfClock(entry, by: actor)
        default: say("retention", actor, .text(entry.subject))
        }
        tellOfAmount(entry)
    }

    /// `12 older than 90 days`.
    private mutating func tellOfOriginals(_ entry: AuditEntry, by actor: Value) {
        let words = entry.detail.split(separator: " ")
        guard words.count == 5, words[1] == "older", words[4] == "days" else {
            say("retention", actor, .text(entry.subject))
            return quote(entry.detail)
        }
        say("retention.originals", actor, .text(String(words[0])), .text(String(words[3])))
    }

    /// `it went from 1700000000 to 1800000000 (seconds since 1970): …`.
    private mutating func tellOfClock(_ entry: AuditEntry, by actor: Value) {
        let numbers = entry.detail.split(separator: " ").compactMap { Int64($0) }
        guard entry.detail.hasPrefix("it went from "), numbers.count >= 2 else {
            say("retention", actor, .text(entry.subject))
            return quote(entry.detail)
        }
        say("retention.clock", actor, .time(Timestamp(numbers[0])), .time(Timestamp(numbers[1])))
    }

    mutating func tellOfServer(_ action: AuditAction, _ entry: AuditEntry) {
        let (actor, detail) = (Value.person(entry.actor), entry.detail)
        switch action {
        case .blobCleared, .blobDamaged, .blobQuarantined, .blobReleased:
            let content = ContentDigest(hex: entry.subject).map { Value.content($0) } ?? .text(entry.subject)
            let isUnscanned = action == .blobReleased && detail == "unscanned"
            say(isUnscanned ? "blob.released.unscanned" : action.rawValue, actor, content)
            guard !isUnscanned, !detail.isEmpty else { return }
            if action == .blobDamaged { quote(detail) } else { add("malware", .text(detail)) }
        case .mailboxAdd:
            say(action.rawValue, actor, .mailbox(entry.subject))
            let trusting = ", believes every sender"
            let isTrusting = detail.hasSuffix(trusting)
            let account = isTrusting ? String(detail.dropLast(trusting.count)) : detail
            if !account.isEmpty { add("account", .text(account)) }
            if isTrusting { add("trusting") }
        case .mailboxMove:
            say(action.rawValue, actor, .mailbox(entry.subject))
            guard let (old, new) = Self.addresses(of: detail) else { return quote(detail) }
            add("moved", .text(old), .text(new))
        case .mailboxPoll:
            say(action.rawValue, actor, .mailbox(entry.subject))
            if detail == "a run was under way" { add("underway") } else { quote(detail) }
        case .doctorCheck: say(action.rawValue, actor)
        case .storeImport:
            say(action.rawValue, actor, .person(entry.subject))
            quote(detail)
        default:
            say(action.rawValue, actor, .text(entry.subject))
            quote(detail)
        }
    }

    /// `letter 12`, and `to ann@example.com`; or the server for letters, and their sender.
    mutating func tellOfLetter(_ action: AuditAction, _ entry: AuditEntry) {
        let actor = Value.person(entry.actor)
        if action == .outboxServer {
            say(action.rawValue, actor, .text(entry.subject))
            if !entry.detail.isEmpty { add("account", .text(entry.detail)) }
            return
        }
        guard let id: OutboxLetter.ID = entry.id(of: "letter"), let recipient = Self.recipient(of: entry.detail) else {
            say(action.rawValue, actor, .text(entry.subject))
            return quote(entry.detail)
        }
        say(action.rawValue, actor, .letter(id, to: recipient))
    }

    /// `letter 12`, and `to ann@example.com bob@example.com; 3 items`: a letter that a person wrote.
    mutating func tellOfWritten(_ action: AuditAction, _ entry: AuditEntry) {
        let actor = Value.person(entry.actor)
        guard entry.detail.hasPrefix("to ") else { return say(action.rawValue, actor, .text(entry.subject)) }
        let recipients = entry.detail.dropFirst("to ".count).prefix { $0 != ";" }
        say(action.rawValue, actor, .text(recipients.split(separator: " ").joined(separator: ", ")))
    }

    /// An address has no blanks.
    private static func recipient(of detail: String) -> String? {
        guard detail.hasPrefix("to ") else { return nil }
        let address = String(detail.dropFirst("to ".count))
        return address.contains("@") && !address.contains(" ") ? address : nil
    }

    /// `from imaps://a to imaps://b; 3 deliveries departed`.
    private static func addresses(of detail: String) -> (old: String, new: String)? {
        let head = detail.prefix { $0 != ";" }
        guard head.hasPrefix("from "), let middle = head.firstRange(of: " to ") else { return nil }
        return (String(head[..<middle.lowerBound].dropFirst("from ".count)), String(head[middle.upperBound...]))
    }
}
