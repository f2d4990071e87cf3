package import FundCore

extension SQLMailStore {
    package func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage {
        var staged = StagedMessage(message: message, stagedBytes: 0)
        staged.records.generation = log.generation
        let writeCount = connection.commits.count
        staged.message.spooled.earlierFingerprint = try earlierFingerprint(of: message)
        let known = try connection.ask("look up a message", atOneMoment: true) { [message = staged.message] in
            try KnownBytes(of: message, writeCount, $0)
        }
        switch try presence(of: known.firstCopy) {
        case .held:  // a duplicate: commit links it
            staged.message.spooled.dropBytes()
            return staged
        case .damaged: staged.records.isReplacement = true
        case .missing: break
        }
        return try withoutActuallyEscaping(readAttachment) { readAttachment in
            let staging = Staging(log: log, staged: staged, known: known, readAttachment: readAttachment)
            do { try staging.run() } catch {
                takeBack([staging.staged])
                throw error
            }
            return staging.staged
        }
    }

    private enum Presence { case missing, held, damaged }

    private func presence(of firstCopy: MessageRows.Copy?) throws -> Presence {
        guard let first = firstCopy else { return .missing }
        guard let location = first.location else { return .held }
        // Bytes that the disk has lost since must not stand in for these.
        do {
            let record = try log.reader.record(at: location, of: first.digest)
            try record.verify(log.blob)
            return record.state == .live ? .held : .damaged
        } catch is LogDamage {
            return .damaged
        } catch let error as StoreError where error.code == .unreachable && log.objects != nil {
            // Mail does not wait for a bucket: its bytes are kept once more.
            return .damaged
        } catch {
            throw StoreError.wrap(error, "look up a message")
        }
    }

    package func abandon(_ batch: [StagedMessage]) async { takeBack(batch) }

    /// Checkpoints the write-ahead log, which closing the store would do otherwise.
    package func settle() async { await connection.settle() }

    /// Gives up the records that were appended for these messages.
    func takeBack(_ batch: [StagedMessage]) {
        for records in batch.map(\.records) {
            log.forgetFresh(records.blobs.keys)
            for record in records.blobs.values { record.giveUp() }
            records.message?.giveUp()
        }
    }
}

/// The records that rows have of a message and its attachments, by one question.
private struct KnownBytes {
    /// The copy with the same bytes; or the message that came another way and was filed. Nil for one that is filed by
    /// hand.
    var firstCopy: MessageRows.Copy?
    /// Places of its attachments.
    var blobs: [ContentDigest: RecordLocation] = [:]
    /// Count of writes before the question.
    let writeCount: Int

    init(of message: RoutedMessage, _ writeCount: Int, _ db: Database) throws {
        self.writeCount = writeCount
        if message.kept == nil { firstCopy = try MessageRows.firstCopy(of: message, db) }
        for file in message.files where file.size > 0 {
            blobs[file.digest] = try RecordHeader.Kind.blob.location(of: file.digest, db)
        }
    }
}

extension RoutedMessage {
    fileprivate var files: [ParsedAttachment] {
        guard case .message(let parsed) = parsed else { return [] }
        return parsed.attachments
    }
}

extension ParsedAttachment {
    fileprivate var asRepeated: RepeatedContent { RepeatedContent(digest: digest, size: size) }
}

/// Appends one message and those of its attachments that are needed and that the store does not hold.
private final class Staging {
    typealias ReadAttachment = (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    private let log: StoreLog
    private(set) var staged: StagedMessage
    private let known: KnownBytes
    /// Blobs that were appended for this message.
    private var appended: [ContentDigest: AppendedRecord] = [:]
    /// Bytes of the large attachment that is looked at.
    private var content: MappedBytes?
    private let readAttachment: ReadAttachment

    init(log: StoreLog, staged: StagedMessage, known: KnownBytes, readAttachment: @escaping ReadAttachment) {
        self.log = log
        self.staged = staged
        self.known = known
        self.readAttachment = readAttachment
    }

    private var message: RoutedMessage { staged.message }
    private var origin: String { RecordOrigin(message.reference, trust: message.policy.trust).text }
    private var time: Timestamp { message.receivedAt ?? .now }

    func run() throws {
        try StoreError.wrapping("store a message") {
            if message.kept != nil {
                try appendFiles()
            } else {
                try message.spooled.content.withBytes { try append($0, release: $1) }
            }
        }
        // Only now: the parser may say at its end that an attachment is not what it was.
        for (digest, record) in appended { log.keepFresh(record, digest, in: staged.records.generation) }
        staged.message.spooled.dropBytes()
    }

    private var isFiled: Bool { message.decision.outcome == .filed }

    private func appendFiles() throws {
        guard isFiled else { return }
        for (index, attachment) in message.files.enumerated() where try isMissing(attachment.asRepeated) {
            try withContent(of: attachment, at: index) { content in
                try append(content, attachment)
            }
        }
    }

    /// Takes the record that the log has of the raw message, with what that repeats.
    private func adopt(_ record: AppendedRecord, _ contents: [RepeatedContent]) throws {
        staged.records.isAdopted = true
        staged.records.message = record
        staged.records.repeated = contents
        staged.stagedBytes += record.location.count
        for content in contents where try isMissing(content) {
            throw StoreError(.stale, "file a message again", "what it repeats was given up meanwhile")
        }
        try appendFiles()
    }

    /// The raw message without what it repeats, see `MessageComposition`.
    private func append(_ raw: UnsafeRawBufferPointer, release: @escaping () -> Void) throws {
        if let (record, contents) = try log.adoption.message(message.spooled.digest) {
            return try adopt(record, contents)
        }
        // A large message and a large attachment are looked at together.
        var builder = MessageComposition.Builder(raw) { [self] in
            release()
            content?.release()
        }
        for (index, attachment) in message.files.enumerated() {
            try withContent(of: attachment, at: index) { content in
                let isRepeated = builder.add(.init(digest: attachment.digest, bytes: content.bytes))
                if isRepeated { staged.records.repeated.append(attachment.asRepeated) }
                guard isRepeated || isFiled, try isMissing(attachment.asRepeated) else { return }
                try append(content, attachment)
            }
        }
        var label = RecordHeader.Label(
            kind: .message, digest: message.spooled.digest, contentBytes: message.spooled.size, time: time,
            origin: origin)
        if let composition = builder.finish() {
            label.encoding = .composed
            try composition.table.withUnsafeBytes { table in
                try append(label, [table] + composition.literals(of: raw), release)
            }
        } else {
            try append(label, [raw], release)
        }
    }

    private func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], _ release: () -> Void
    ) throws {
        var label = label
        let record: AppendedRecord
        if let packed = PackedBody.pack(parts) {
            label.encoding = label.encoding.whenPacked
            record = try packed.withUnsafeBytes { try log.append(label, [$0]) }
        } else {
            record = try log.append(label, parts, release: release)
        }
        staged.records.message = record
        staged.stagedBytes += record.location.count
    }

    // MARK: Attachments

    /// Whether no row and no message before has the bytes of a content.
    private func isMissing(_ content: RepeatedContent) throws -> Bool {
        let digest = content.digest
        guard content.size > 0, staged.records.blobs[digest] == nil else { return false }
        if let record = log.fresh(digest) {
            staged.records.blobs[digest] = record
            return false
        }
        switch try log.presence(ofBlob: digest, at: location(of: digest)) {
        case .missing: break
        case .damaged(let location): staged.records.damaged[digest] = location
        case .held: return false
        }
        guard let record = try log.adoption.blob(digest) else { return true }
        staged.records.blobs[digest] = record
        staged.stagedBytes += record.location.count
        appended[digest] = record
        return false
    }

    /// The record of a blob. One whose commit came since the rows were asked is not fresh any more, and has a row now.
    private func location(of digest: ContentDigest) throws -> RecordLocation? {
        if let location = known.blobs[digest] { return location }
        let connection = log.connection
        // The contents that an adopted record repeats need not be those of the parser: they were not asked for either.
        guard staged.records.isAdopted || connection.commits.count != known.writeCount else { return nil }
        return try connection.ask("look up a blob") { try RecordHeader.Kind.blob.location(of: digest, $0) }
    }

    /// The bytes of an attachment: of a small one in memory, of a large one in a record that may be appended.
    private struct Content {
        var bytes: UnsafeRawBufferPointer
        var large: LargeRecord?
    }

    private func withContent(
        of attachment: ParsedAttachment, at index: Int, _ body: (Content) throws -> Void
    ) throws {
        guard attachment.size < LogFormat.largeBytes else { return try withLarge(attachment, at: index, body) }
        var bytes: [UInt8] = []
        var isDone = false
        try readAttachment(index) { chunk in
            // Mostly all of it at once.
            if bytes.isEmpty, chunk.count == Int(attachment.size) {
                isDone = true
                return try body(Content(bytes: chunk))
            }
            bytes.append(contentsOf: chunk)
        }
        guard !isDone else { return }
        guard bytes.count == Int(attachment.size) else { throw differs(attachment) }
        try bytes.withUnsafeBytes { try body(Content(bytes: $0)) }
    }

    private func withLarge(
        _ attachment: ParsedAttachment, at index: Int, _ body: (Content) throws -> Void
    ) throws {
        let record = try log.makeLarge(.blob, origin: attachment.displayName)
        var allowed: Int64 = 0
        try readAttachment(index) { chunk in
            if record.bodyBytes >= allowed {
                try log.connection.space.require(LogFormat.largeBytes)
                allowed += LogFormat.largeBytes
            }
            try record.append(chunk)
        }
        try record.finishBody()
        guard record.bodyBytes == attachment.size else { throw differs(attachment) }
        let start = record.bodyOffset
        let mapped = try MappedBytes(record.descriptor, start..<(start + attachment.size), path: record.path)
        content = mapped
        defer { content = nil }
        try body(Content(bytes: mapped.bytes, large: record))
    }

    private func differs(_ attachment: ParsedAttachment) -> StoreError {
        StoreError(
            .corrupted, "store an attachment",
            "part \(attachment.partPath) reads differently from what the parser said of it")
    }

    private func append(_ content: Content, _ attachment: ParsedAttachment) throws {
        let record: AppendedRecord
        if let large = content.large {
            record = try log.append(large, of: attachment.digest)
        } else {
            let label = RecordHeader.Label(
                kind: .blob, digest: attachment.digest, contentBytes: attachment.size, time: time,
                origin: attachment.displayName)
            record = try log.append(label, [content.bytes])
        }
        staged.records.blobs[attachment.digest] = record
        staged.stagedBytes += record.location.count
        appended[attachment.digest] = record
    }
}
