internal import FundHTTP
internal import FundCore

/// The beginning of a letter that answers a filed mail or passes it on: recipients, subject and quoted text.
struct LetterAnswer {
    /// Bytes of a text that are quoted: with a mark in front of each line it is within `LetterPolicy.maxTextBytes`.
    private static let maxQuotedBytes = 32 << 10
    /// Limit of the recipients that are taken over.
    private static let maxPeople = 50

    private let email: EmailEntry
    /// Nil where the message cannot be read any more.
    private let fields: MailFields?
    /// Addresses to which no answer goes: the reader's own, and those to which people mail for their funds.
    private let own: Set<EmailAddress>
    private let call: PageCall

    /// Throws 404 for a mail of another.
    init(to email: EmailSummary.ID, _ call: PageCall) async throws {
        self.call = call
        self.email = try await call.library.email(email, of: try call.userID)
        if case .ready(let fields) = try await call.fields(of: email, waitingAtMost: PreviewResponses.longestWait) {
            self.fields = fields
        } else {
            fields = nil
        }
        own = try await call.ownAddresses()
    }

    // MARK: Recipients

    /// The people to whom answers go: those of Reply-To, else the sender. An answer to a mail of one's own goes to the
    /// people to whom that went.
    private var answered: [FieldPerson] {
        let sender = fields?.from ?? email.summary.from.map { [FieldPerson(address: $0)] } ?? []
        let choices = [fields?.replyTo ?? [], sender, fields?.to ?? []]
        return choices.lazy.map { people in people.filter { !isOwn($0) } }.first { !$0.isEmpty } ?? []
    }

    /// - Parameter isToAll: whether all to whom the mail went get the answer, too.
    func recipients(isToAll: Bool) -> (to: String, cc: String) {
        var seen: Set<String> = []
        func unseen(_ people: [FieldPerson]) -> [FieldPerson] {
            people.filter { person in
                guard let address = person.address, !isOwn(person) else { return false }
                return seen.insert(address.lowercased()).inserted
            }
        }
        let to = unseen(answered)
        let cc = isToAll ? unseen((fields?.to ?? []) + (fields?.cc ?? [])) : []
        return (Self.text(to), Self.text(cc))
    }

    private func isOwn(_ person: FieldPerson) -> Bool {
        person.address.flatMap(EmailAddress.init).map { own.contains($0.withoutSubaddress(separator: "+")) } ?? true
    }

    private static func text(_ people: [FieldPerson]) -> String {
        people.prefix(maxPeople).compactMap(text).joined(separator: ", ")
    }

    /// `Ann Archer <ann@example.com>`. A name with an address in it is left out: it would be taken for the address.
    private static func text(_ person: FieldPerson) -> String? {
        person.address.map { address in
            let name = person.name.flatMap { $0.utf8.contains(.at) ? nil : $0 }
            return Addressee(name: name, address: address)?.text ?? address
        }
    }

    // MARK: Subject and text

    /// The subject behind `Re: ` or `Fwd: `, which it gets once.
    func subject(_ prefix: String) -> String {
        let subject = email.summary.subject ?? ""
        let begins =
            subject.utf8.count >= prefix.utf8.count
            && subject.prefix(bytes: prefix.utf8.count).lowercased() == prefix.lowercased()
        return String((begins ? subject : "\(prefix) \(subject)").prefix(bytes: LetterPolicy.maxSubjectBytes))
    }

    private var date: String {
        call.formats.wholeDate(email.summary.sentAt ?? email.summary.receivedAt)
    }

    private var sender: String {
        fields.map { Self.text($0.from) }.flatMap { $0.isEmpty ? nil : $0 } ?? email.summary.from
            ?? call.words("mail.nosender")
    }

    /// The text of the mail, each line behind `>`, below a line that says whose it is.
    func quotation() async throws -> String {
        let head = call.words("letter.wrote", date, sender)
        let text = try await plainText()
        let lines = text.utf8.split(separator: .lf, omittingEmptySubsequences: false)
        let quoted = lines.map { $0.isEmpty ? ">" : "> \(String(decoding: $0, as: UTF8.self))" }
        return "\n\n\(head)\n" + quoted.joined(separator: "\n")
    }

    /// The whole mail below a line that says so, with the facts of its header.
    func passedOn() async throws -> String {
        let words = call.words
        var head = [
            "---------- \(words("letter.forwarded")) ----------", words("letter.forwarded.from", sender),
            words("letter.forwarded.date", date),
            words("letter.forwarded.subject", words.wholeSubject(email.summary.subject)),
        ]
        if let to = fields?.to, !to.isEmpty { head.append(words("letter.forwarded.to", Self.text(to))) }
        return "\n\n\(head.joined(separator: "\n"))\n\n" + (try await plainText())
    }

    private func plainText() async throws -> String {
        try await email.withPlainText { text in
            let shown = String(text.prefix(bytes: Self.maxQuotedBytes)).withLineFeeds.trimmed
            return text.utf8.count > Self.maxQuotedBytes ? shown + "\n[…]" : shown
        }
    }

    // MARK: Files

    /// The files that came with the mail, where all of them are there; else the mail itself.
    func items() async throws -> [LibraryItemID] {
        let attachments = email.attachments.filter { !$0.isInline }
        guard !attachments.isEmpty else { return [] }
        let files = try await call.library.files(with: Set(attachments.map(\.digest)), of: try call.userID)
        let filed = Dictionary(files.compactMap { file in file.attachment.map { ($0, file.id) } }) { first, _ in first }
        let items = attachments.compactMap { filed[$0.id] }
        return items.count == attachments.count ? items.map { .file($0) } : [.email(email.summary.id)]
    }

    var fund: Fund.ID { email.summary.fund }
}

extension PageCall {
    /// The reader's addresses, and those to which people mail for their funds.
    fileprivate func ownAddresses() async throws -> Set<EmailAddress> {
        let sender = parts.letterServer().map { Self.address(in: $0.from) }
        let texts =
            try await administration.user(try userID).addresses + [pages.mailAddress(), sender].compactMap { $0 }
        return Set(texts.compactMap(EmailAddress.init).map { $0.withoutSubaddress(separator: "+") })
    }

    /// The address of `Fundmail <funds@corp.example>`.
    private static func address(in sender: String) -> String {
        guard let open = sender.lastIndex(of: "<"), let close = sender[open...].firstIndex(of: ">") else {
            return sender
        }
        return String(sender[sender.index(after: open)..<close])
    }
}
