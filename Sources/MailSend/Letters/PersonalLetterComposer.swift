internal import FundCore

/// Writes a letter of a person: from our address under the person's name, with answers to theirs.
struct PersonalLetterComposer {
    /// Files up to this size are read when the letter is written, larger ones while it goes out.
    private static let maxBytesInMemory: Int64 = 256 * 1024

    let places: LetterPlaces
    let contents: LetterWriter.Contents

    /// - Throws: `MessageError` for an address that servers do not take, and `StoreError` for a file that cannot be
    ///   read now.
    func compose(_ facts: WrittenLetterFacts, from sender: Correspondent) throws -> ComposedLetter {
        let replyTo = Correspondent(
            name: LetterLine.name(facts.senderName), address: try OutgoingAddress(facts.replyTo, field: "Reply-To"))
        var message = OutgoingMessage(
            from: Correspondent(name: Self.name(of: facts, via: sender), address: sender.address),
            to: try Self.correspondents(facts.to, "To"), subject: facts.subject.label,
            text: facts.text + linkLines(facts),
            date: facts.sentAt, messageID: MessageID("\(facts.mark)@\(sender.address.domain)"))
        message.cc = try Self.correspondents(facts.cc, "Cc")
        message.replyTo = [replyTo]
        message.inReplyTo = facts.answered.flatMap { MessageID($0) }
        message.references = message.inReplyTo.map { [$0] } ?? []
        do {
            message.attachments = try facts.attachments.map(attachment)
        } catch let error as StoreError where error.code == .quarantined {
            return .dropped("a file of it is kept from people by now: \(error.detail)")
        }
        let envelope = LetterEnvelope(
            returnPath: try returnPath(facts, of: sender.address),
            recipient: try OutgoingAddress(facts.recipient.address, field: "the recipient"))
        return .written(message, envelope)
    }

    /// The lines below the text that say where the items are; empty for a letter that holds them.
    private func linkLines(_ facts: WrittenLetterFacts) -> String {
        guard let link = facts.link, let address = places.link(link.path) else { return "" }
        let say = LetterLanguage(of: facts.subject, fund: facts.text)
        let day = Self.day(link.expiresAt)
        return "\n\n" + say("The files, until \(day):", "文件（\(day) 前有效）：") + "\n\(address)\n"
    }

    /// A day as everybody reads it, in UTC: `2026-12-06`.
    private static func day(_ time: Timestamp) -> String {
        let date = CivilDate(daysSince1970: Int(time.rawValue) / CivilDate.secondsPerDay)
        return [("\(date.year)", 4), ("\(date.month)", 2), ("\(date.day)", 2)].map { $0.zeroPadded(to: $1) }
            .joined(separator: "-")
    }

    /// The name in `From`: a mail program shows whose letter it is, and by which way it came.
    private static func name(of facts: WrittenLetterFacts, via sender: Correspondent) -> String {
        "\(LetterLine.of(facts.senderName)) via \(sender.name ?? "Fundmail")"
    }

    private static func correspondents(_ people: [Addressee], _ field: String) throws(MessageError) -> [Correspondent] {
        try people.map { person throws(MessageError) in
            Correspondent(
                name: person.name.flatMap(LetterLine.name), address: try OutgoingAddress(person.address, field: field))
        }
    }

    private func attachment(_ file: LetterAttachment) throws -> OutgoingMessage.Attachment {
        let stored = AttachedContent.stored(.init(try contents(file)))
        let content = file.size > Self.maxBytesInMemory ? stored : .bytes(try stored.read(0..<stored.size))
        return OutgoingMessage.Attachment(
            name: file.name.label,
            contentType: MessageWriter.isMediaType(file.contentType) ? file.contentType : Self.bytes,
            content: content)
    }

    private static let bytes = "application/octet-stream"

    /// The sender's address with the mark of this copy behind its local part (RFC 5233): a report about it comes there.
    /// Without subaddresses, or without room for one, to the address itself, where a report tells nothing of the copy.
    private func returnPath(_ facts: WrittenLetterFacts, of sender: OutgoingAddress) throws(MessageError)
        -> OutgoingAddress
    {
        guard let separator = places.subaddressSeparator, let at = sender.description.utf8.lastIndex(of: .at) else {
            return sender
        }
        let local = sender.description[..<at]
        let detailed = try? OutgoingAddress("\(local)\(separator)\(facts.bounceMark)@\(sender.domain)")
        return detailed ?? sender
    }
}
