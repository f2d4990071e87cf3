package import FundCore

/// The letters of people. Each call sees what is one user's: items through `LibraryView`, letters by their writer.
package struct SQLLetterStore: LetterStore {
    let connection: StoreConnection
    let log: StoreLog
    let quarantine: Quarantine

    /// Reads within one transaction.
    func reading<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (LibraryView) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(LibraryView(db: $0, user: user)) }
        }
    }

    package func letterItems(_ items: [LibraryItemID], of user: User.ID) async throws -> [LetterItem] {
        let found = try await reading("look at what is to be sent", of: user) {
            try LetterItemRows(view: $0).items(items)
        }
        for item in found { try refuseWithheld(item) }
        return found
    }

    /// Throws `quarantined` or `unscanned` for a file that is kept from people.
    private func refuseWithheld(_ item: LetterItem) throws {
        guard let digest = item.digest, let refusal = try quarantine.refusal(of: digest) else { return }
        throw StoreError(refusal)
    }

    /// Opens a file of a letter. What was made of a folder, a note or a mail is refused when malware was found in it,
    /// or in a content that it holds, and not for want of a scan: its parts were looked at when it was made. Blocks.
    package func content(of attachment: LetterAttachment) throws -> any StoredContent {
        let content = try log.content(of: attachment.digest, size: attachment.size)
        guard case .file = attachment.item else {
            if let name = try quarantine.malware(in: attachment.digest) {
                throw StoreError(ContentRefusal.malware(name: name))
            }
            return content
        }
        return try GuardedContent(content, of: attachment.digest, quarantine)
    }

    // MARK: Sending

    package func addLetter(
        _ letter: NewLetter, with contents: [LibraryItemID: LetterContent], _ policy: LetterPolicy, of user: User.ID
    ) async throws -> (letter: PersonalLetter, isNew: Bool) {
        let operation = LetterFiling.operation
        try LetterFiling.check(letter, policy)
        let uploads = try contents.mapValues { content in
            guard let file = content.upload.owner as? UploadFile else {
                throw StoreError(.invalid, operation, "another store took the bytes")
            }
            return file
        }
        // Also before anything is made durable.
        for item in try await letterItems(letter.way == .link ? [] : letter.items, of: user) {
            guard item.digest != nil || contents[item.item] != nil else {
                throw StoreError(.invalid, operation, "nothing was made of \(item.item.kind) \(item.item.number)")
            }
        }
        let linkKey = ShareLinkKey(
            serverKey: try StoreError.wrapping(operation) {
                try ServerKey.load(connection.location, owner: connection.owner)
            })
        return try await connection.queues.upload.run { [connection, log] in
            func write(_ db: Database, _ records: [ContentDigest: AppendedRecord]) throws -> (PersonalLetter, Bool) {
                let reading = LetterReading(view: LibraryView(db: db, user: user))
                if let key = letter.key, let known = try reading.letter(withKey: key) { return (known, false) }
                try LetterUse(db: db, user: user).refuseKnown(letter.key, operation)
                let filing = LetterFiling(
                    view: LibraryView(db: db, user: user), policy: policy, contents: contents, records: records,
                    linkKey: linkKey)
                return (try reading.letter(try filing.add(letter)), true)
            }
            guard !uploads.isEmpty else { return try connection.write(operation) { try write($0, [:]) } }
            try connection.read(operation) { db in
                try LetterFiling(
                    view: LibraryView(db: db, user: user), policy: policy, contents: contents, records: [:],
                    linkKey: linkKey
                ).check(letter)
            }
            var records: [ContentDigest: AppendedRecord] = [:]
            let generation = log.generation
            do {
                for (item, file) in uploads {
                    guard let digest = contents[item]?.upload.digest, records[digest] == nil else { continue }
                    records[digest] = try file.store(digest)
                }
            } catch {
                for record in records.values { record.giveUp() }
                throw error
            }
            return try log.committing(operation, appendedIn: [generation]) { [records] db in
                try write(db, records)
            } records: { [records] _, isNew in
                isNew ? Array(records.values) : []
            } orElse: { [records] in
                for record in records.values { record.giveUp() }
            }
        }
    }
}
