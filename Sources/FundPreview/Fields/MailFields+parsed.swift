import FundCore

extension MailFields {
    /// Limit of people in each field of the header.
    private static let maxPeople = 50
    private static let maxAttachments = 200
    private static let maxTextBytes = 96 << 10

    /// The shown fields of a mail that was parsed.
    init(_ message: ParsedMessage) {
        var room = FieldRoom()
        let header = message.header
        var isCut = false
        func people(_ addresses: [NamedAddress]) -> [FieldPerson] {
            isCut = isCut || addresses.count > Self.maxPeople
            return addresses.prefix(Self.maxPeople).compactMap { address in
                let person = FieldPerson(
                    name: address.displayName.flatMap { room.line($0, atMost: 200) },
                    address: room.line(address.address, atMost: 200))
                return person.name == nil && person.address == nil ? nil : person
            }
        }
        self.init(subject: header.subject.flatMap { room.line($0) })
        from = people(header.from.flatMap(\.addresses))
        if from.isEmpty, let text = header.from.first.flatMap({ room.line($0.text) }) {
            from = [FieldPerson(name: text)]
        }
        to = people(header.to)
        cc = people(header.cc)
        let answers = people(header.replyTo)
        replyTo = answers.isEmpty ? nil : answers
        date = header.date?.rawValue
        isCut = isCut || message.attachments.count > Self.maxAttachments
        attachments = message.attachments.prefix(Self.maxAttachments).compactMap { attachment in
            room.line(attachment.displayName, atMost: 255).map { Attachment(name: $0, size: attachment.size) }
        }
        let body = message.visibleText
        text = room.text(body, atMost: Self.maxTextBytes)
        self.isCut = isCut || body.utf8.count > Self.maxTextBytes || room.hasLeftOut
    }
}

extension ParsedMessage {
    fileprivate var visibleText: String { VisibleText.of(text: text, html: html) }

    /// All that a search is to find of it.
    var words: String {
        let people = header.from.map(\.text) + (header.to + header.cc).map { "\($0.displayName ?? "") \($0.address)" }
        let lines = header.subjects + people + attachments.map(\.displayName)
        return lines.joined(separator: "\n") + "\n\n" + visibleText
    }
}
