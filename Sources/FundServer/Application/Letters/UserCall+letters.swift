internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// Letters that people write, as pages and web API send them.
extension UserCall {
    var letters: any LetterStore { parts.store.letters }

    /// The rules for letters. Throws `conflict` where no letter can go out.
    func letterPolicy() throws -> LetterPolicy {
        guard let server = parts.letterServer() else {
            throw RequestError(.conflict, "no-letters", "no mail server for letters is configured")
        }
        return server.letters
    }

    /// Queues a letter: as files what fits and is to be attached, else as a link. Throws what `LetterStore.addLetter`
    /// throws.
    func sendLetter(_ letter: NewLetter) async throws -> (letter: PersonalLetter, isNew: Bool) {
        let (policy, user) = (try letterPolicy(), try userID)
        // A form that comes again makes no files again.
        if let key = letter.key, let known = try await letters.letter(withKey: key, of: user) { return (known, false) }
        let items = try await letters.letterItems(letter.items, of: user)
        var letter = letter
        let size = items.reduce(0) { $0 + $1.size }
        // Before anything is made of them.
        if letter.way == .attached { try policy.check(attachmentBytes: size) }
        if letter.way == .automatic {
            letter.way = size <= policy.maxAttachmentBytes || items.isEmpty ? .attached : .link
        }
        var contents: [LibraryItemID: LetterContent] = [:]
        if letter.way == .attached {
            // The sizes of folders and mail are known once their files are made: none is made beyond the limit.
            var room = policy.maxAttachmentBytes - items.reduce(0) { $0 + ($1.digest == nil ? 0 : $1.size) }
            for item in items where item.digest == nil && contents[item.item] == nil {
                let maker = LetterContents(parts: parts, user: user, maxBytes: room)
                let content = try await maker.content(of: item)
                room -= content.upload.size
                try policy.check(attachmentBytes: policy.maxAttachmentBytes - room)
                contents[item.item] = content
            }
        }
        return try await letters.addLetter(letter, with: contents, policy, of: user)
    }

    /// The number of a recipient or a file of a letter, from the path. Throws 404 for other text.
    func number() throws -> Int {
        let id: ID<LetterRecipient> = try id("number")
        return Int(id.rawValue)
    }

    /// A file of a letter, as it was sent: those of the path parameters `letter` and `number`. Throws 404.
    func letterContent() async throws -> ServedContent {
        let (letter, number) = (try await letters.letter(try id("letter"), of: try userID), try number())
        guard let file = letter.attachments.first(where: { $0.number == number }) else { throw RequestError.notFound }
        return ServedContent(digest: file.digest, size: file.size, name: file.name, contentType: file.contentType)
    }
}
