internal import FundCore

/// An entry of the audit trail, taken apart for a sentence: the key of its words, and the values in them. Entries hold
/// the texts that the store writes; a text that reads otherwise, as one of an earlier version, is shown as it is.
struct AuditStatement: Equatable {
    /// A value of a sentence.
    enum Value: Equatable {
        /// By their address, or a program by its name.
        case person(String)
        case user(User.ID)
        case fund(String)
        case message(MisrouteRecord.ID)
        case email(EmailSummary.ID)
        case content(ContentDigest)
        case mailbox(String)
        /// A letter on its way out, and the address of its recipient.
        case letter(OutboxLetter.ID, to: String)
        /// Text of the entry.
        case text(String)
        /// Text of the entry that is English, whatever the reader's language.
        case english(String)
        case time(Timestamp)
        case items(Int)
        case bytes(Int64)
        /// Words of the table, which may hold a text of the entry.
        case phrase(String, String)
    }

    /// A sentence: its key behind `statement.` in the table of words, and what stands in it.
    struct Sentence: Equatable {
        var key: String
        var values: [Value]
    }

    /// The first value is the one who did it.
    private(set) var sentence: Sentence
    /// Sentences below it, about what else is known.
    private(set) var asides: [Sentence] = []

    init(_ entry: AuditEntry) {
        sentence = Sentence(key: "other", values: [.person(entry.actor), .text(entry.action), .text(entry.subject)])
        guard let action = AuditAction(rawValue: entry.action) else {
            quote(entry.detail)
            return
        }
        switch action.rawValue.prefix(while: { $0 != "." }) {
        case "user": tellOfPerson(action, entry)
        case "fund": tellOfFund(action, entry)
        case "misroute", "email": tellOfMessage(action, entry)
        case "token": tellOfAccess(action, entry)
        case "factor": tellOfFactor(action, entry)
        case "retention", "trash": tellOfTrash(action, entry)
        case "outbox": tellOfLetter(action, entry)
        case "letter": tellOfWritten(action, entry)
        case "contact": tellOfContacts(action, entry)
        case "news": tellOfNews(action, entry)
        default: tellOfServer(action, entry)
        }
    }

    mutating func say(_ key: String, _ values: Value...) { sentence = Sentence(key: key, values: values) }

    mutating func add(_ key: String, _ values: Value...) { asides.append(Sentence(key: key, values: values)) }

    /// Adds a text of the entry as it is.
    mutating func quote(_ detail: String) {
        if !detail.isEmpty { add("detail", .english(detail)) }
    }

    /// The things that the sentence and the texts below it mention.
    func collect(into references: inout AuditReferences) {
        for value in sentence.values + asides.flatMap(\.values) {
            switch value {
            case .person(let address), .letter(_, let address): references.addresses.insert(address)
            case .user(let id): references.users.insert(id)
            case .message(let id): references.misroutes.insert(id)
            case .email(let id): references.emails.insert(id)
            case .content(let digest): references.contents.insert(digest)
            case .fund, .mailbox, .text, .english, .time, .items, .bytes, .phrase: break
            }
        }
    }
}

extension AuditEntry {
    /// The number behind a word of the subject: `misrouted 12`. Nil for another subject.
    func id<Entity>(of word: String) -> FundCore.ID<Entity>? {
        Self.number(behind: word + " ", in: subject).map { FundCore.ID($0) }
    }

    /// Time of a detail `until 1700000000`; nil for another detail.
    var until: Timestamp? { Self.number(behind: "until ", in: detail).map { Timestamp($0) } }

    static func number(behind word: String, in text: some StringProtocol) -> Int64? {
        guard text.hasPrefix(word) else { return nil }
        return QueryText.number(Substring(text.dropFirst(word.count)))
    }

    /// Owner and name of `ann@example.com/Fund1`; nil for another subject.
    var ownedFund: (owner: String, name: String)? {
        guard let at = subject.firstIndex(of: "@"), let slash = subject[at...].firstIndex(of: "/") else { return nil }
        return (String(subject[..<slash]), String(subject[subject.index(after: slash)...]))
    }

    /// Items and bytes of `3 items, 4096 bytes`; nil for another detail.
    var amount: (items: Int, bytes: Int64)? {
        let words = detail.split(separator: " ")
        guard words.count == 4, words[1] == "items,", words[3] == "bytes", let items = Int(words[0]),
            let bytes = Int64(words[2])
        else { return nil }
        return (items, bytes)
    }
}
