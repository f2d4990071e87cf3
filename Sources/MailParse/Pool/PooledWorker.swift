internal import ChildProcesses
import Dispatch
internal import Glibc
import FundCore

/// One place in the pool: a queue, a pack, memory for messages, and the child that serves them, if one is alive.
///
/// `@unchecked Sendable`: all that is mutable is touched only on `queue`: `run` and `close` see to it, and what they
/// call checks it. The pool gives a worker to one caller at a time.
final class PooledWorker: ParseWorker, @unchecked Sendable {
    /// Time for the HTML of one mail, which is at most 1 MiB. A child takes a tenth of a second for it.
    private static let sanitizeSeconds = 10.0

    private let recipe: ChildRecipe
    private let record: ChildRecord
    private let queue: DispatchQueue
    private var child: ChildProcess?
    private var pack: PackFile?
    private var area: MessageArea?
    private var writer = FrameWriter()
    private var attachments: [ParsedAttachment] = []
    private var ranges: [Range<Int64>] = []
    /// The messages that the child was already asked about.
    private var ahead: ArraySlice<SpooledContent> = []

    init(_ recipe: ChildRecipe, number: Int, record: ChildRecord) {
        self.recipe = recipe
        self.record = record
        queue = DispatchQueue(label: "fundmail.parser.\(number)")
    }

    func run<Result: Sendable>(_ body: @escaping @Sendable (any ParseWorker) throws -> Result) async throws -> Result {
        try await queue.run {
            // Messages may be left that were prepared, when `body` failed before it came to them.
            defer { self.forgetPrepared() }
            return try body(self)
        }
    }

    func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail? {
        try await queue.run { try self.sanitizeOnQueue(mail) }
    }

    func readFeed(_ document: FeedDocument) async throws -> FeedReading? {
        try await queue.run { try self.readFeedOnQueue(document) }
    }

    private func sanitizeOnQueue(_ mail: HTMLMail) throws -> SanitizedMail? {
        try answer(to: .sanitize, about: mail.file(&writer), within: Self.sanitizeSeconds) {
            (body) throws(FrameError) in try SanitizedMail(body: body, pictureCount: mail.pictures.count)
        }
    }

    private func readFeedOnQueue(_ document: FeedDocument) throws -> FeedReading? {
        try answer(to: .readFeed, about: document.file(&writer), within: recipe.feedSeconds) {
            (body) throws(FrameError) in try FeedReading(body: body)
        }
    }

    /// Asks about bytes that travel in a file. Nil when the child broke at them.
    private func answer<Answer>(
        to kind: Wire.Kind, about bytes: [UInt8], within seconds: Double,
        _ read: (UnsafeRawBufferPointer) throws(FrameError) -> Answer
    ) throws -> Answer? {
        forgetPrepared()
        let request = FileRequest(kind: kind, fileBytes: bytes.count, debug: .init(rawValue: recipe.debug))
        do throws(ChildError) {
            let file = try ChildError.catching(.cannotRead) { () throws(ProcessError) in try MemoryFile(sealed: bytes) }
            let (child, _) = try ask(file.descriptor, request.write(to: &writer))
            return try child.receive(within: recipe.maxSeconds ?? seconds) { (body) throws(ChildError) in
                do throws(FrameError) { return try read(body) } catch {
                    throw ChildError.message("the parser broke the protocol: \(error.what)")
                }
            }
        } catch {
            guard case .message(let what) = error else {
                if case .own(let error) = error { throw error }
                throw error
            }
            _ = child?.end(because: what)
            child = nil
            record.noteRestart()
            return nil
        }
    }

    /// Starts the child unless there is one. What fails here is tried again, and told, with the first message.
    func warmUp() {
        queue.async {
            guard self.child == nil, let pack = try? self.openPack() else { return }
            _ = try? self.startChild(pack)
        }
    }

    func childIdentifier() async -> pid_t? {
        await queue.run { self.child?.pid }
    }

    /// Whether the child has answered, and the answer was not read yet.
    var hasAnswer: Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        return child?.hasAnswer ?? false
    }

    func close() async {
        await queue.run {
            self.child = nil
            self.pack = nil
            self.area = nil
        }
    }

    /// The child reads them while those before are stored. The last one's pack must be in memory: it is written over.
    func prepare(_ messages: some Collection<SpooledMessage>, limits: ParseLimits) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard ahead.isEmpty, let child, let area, let pack, pack.isInMemory, (try? pack.reset()) != nil else { return }
        area.reset()
        var frames: [UInt8] = []
        for message in messages.prefix(Wire.maxWaiting) {
            guard let place = message.content.memory.flatMap(area.put) else { break }
            frames += request(message, limits, place, goesOn: !ahead.isEmpty).write(to: &writer)
            ahead.append(message.content)
        }
        // `parse` handles a child that has ended.
        if !ahead.isEmpty, !child.send(frames, count: ahead.count) { ahead = [] }
    }

    /// The answers to what was prepared are not wanted any more.
    private func forgetPrepared() {
        if !ahead.isEmpty { (child, ahead) = (nil, []) }
    }

    func parse(_ message: SpooledMessage, limits: ParseLimits) throws -> ParseResult {
        dispatchPrecondition(condition: .onQueue(queue))
        (attachments, ranges) = ([], [])
        do throws(ChildError) {
            do throws(ChildError) { return try response(to: message, limits) } catch {
                guard let child, child.wasFrozen else { throw error }
                // A fresh child gets it once more. The old one must be gone: both would write to the pack.
                _ = child.end(because: "it was frozen")
                (self.child, ahead) = (nil, [])
                record.noteRestart()
                return try response(to: message, limits)
            }
        } catch {
            switch error {
            case .own(let error): throw error
            case .message(let what):
                let ending = child?.end(because: what)
                (child, ahead) = (nil, [])
                record.noteRestart()
                // The status does not say why the write failed; a full disk is the likeliest reason.
                if ending?.isPackFailure ?? false {
                    throw DiskError("write", "\(recipe.stagingDirectory)/pack", code: ENOSPC)
                }
                return .refused(
                    .unparseable, detail: ending?.text ?? what, header: header(of: message, limits), defects: [])
            }
        }
    }

    private func response(to message: SpooledMessage, _ limits: ParseLimits) throws(ChildError) -> ParseResult {
        if ahead.first === message.content, let result = try preparedAnswer(message, limits) { return result }
        forgetPrepared()
        let (child, pack) = try ask(message, limits)
        return try answer(child, pack, message, limits)
    }

    /// The header of a message that ended a child, read by a new one that gets no more of it: people know a message by
    /// its sender and subject. Nil when that fails, too.
    private func header(of message: SpooledMessage, _ limits: ParseLimits) -> MessageHeader? {
        var headerLimits = limits
        // Any message is too large for this, and is refused with its header.
        headerLimits.maxMessageBytes = 0
        do throws(ChildError) {
            let (child, pack) = try ask(message, headerLimits, isHeaderOnly: true)
            return try answer(child, pack, message, headerLimits).header
        } catch {
            // One message is counted once, whatever it ended.
            child = nil
            return nil
        }
    }

    private func request(
        _ message: SpooledMessage, _ limits: ParseLimits, _ place: Int?, goesOn: Bool = false,
        isHeaderOnly: Bool = false
    ) -> ParseRequest {
        ParseRequest(
            limits: limits,
            messageBytes: isHeaderOnly ? min(message.size, Int64(limits.maxHeaderBytes)) : message.size, place: place,
            goesOn: goesOn, debug: .init(rawValue: isHeaderOnly ? 0 : recipe.debug))
    }

    /// Nil when the child ended, which may be due to the message before this one: this one is asked about again.
    private func preparedAnswer(_ message: SpooledMessage, _ limits: ParseLimits) throws(ChildError) -> ParseResult? {
        guard let child, let pack else { return nil }
        ahead.removeFirst()
        do throws(ChildError) {
            return try answer(child, pack, message, limits)
        } catch {
            guard case .message(ChildProcess.ended) = error else { throw error }
            (self.child, ahead) = (nil, [])
            record.noteRestart()
            return nil
        }
    }

    private func answer(
        _ child: ChildProcess, _ pack: PackFile, _ message: SpooledMessage, _ limits: ParseLimits
    ) throws(ChildError) -> ParseResult {
        let seconds = recipe.maxSeconds ?? limits.maxSeconds(forBytes: message.size)
        let response = try child.receive(within: seconds) { (body) throws(ChildError) in
            do throws(FrameError) {
                return try ResponseReader(limits: limits, packBytes: pack.byteCount()).read(body)
            } catch {
                throw ChildError.message("the parser broke the protocol: \(error.what)")
            }
        }
        return try accept(response, pack)
    }

    func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        dispatchPrecondition(condition: .onQueue(queue))
        guard ranges.indices.contains(index), let pack else {
            throw ParserError(.cannotRead, "there is no attachment \(index)")
        }
        try pack.read(ranges[index], expecting: attachments[index].digest, consume)
    }

    /// Asks about a message, in the memory if it fits.
    private func ask(
        _ message: SpooledMessage, _ limits: ParseLimits, isHeaderOnly: Bool = false
    ) throws(ChildError) -> (ChildProcess, PackFile) {
        let area = try openArea()
        area.reset()
        if let place = message.content.memory.flatMap(area.put) {
            let frame = request(message, limits, place, isHeaderOnly: isHeaderOnly).write(to: &writer)
            return try ask { $0.send(frame, count: 1) }
        }
        let file = try MessageFile(message)
        let frame = request(message, limits, nil, isHeaderOnly: isHeaderOnly).write(to: &writer)
        return try ask(file.descriptor, frame)
    }

    private func ask(_ descriptor: Int32, _ frame: [UInt8]) throws(ChildError) -> (ChildProcess, PackFile) {
        try ask { $0.send(frame, descriptor) }
    }

    /// Sends the request, to a new child if there is none or the old one died since its last message: the new child is
    /// then the first to read this message, so that one that crashes parsers is read once.
    private func ask(_ send: (ChildProcess) -> Bool) throws(ChildError) -> (ChildProcess, PackFile) {
        let pack = try openPack()
        if let child {
            if send(child) { return (child, pack) }
            self.child = nil
            record.noteRestart()
        }
        let fresh = try startChild(pack)
        guard send(fresh) else { throw .message("the parser ended before it could be asked") }
        return (fresh, pack)
    }

    private func startChild(_ pack: PackFile) throws(ChildError) -> ChildProcess {
        let fresh = try start(pack, try openArea())
        child = fresh
        record.note(fresh.confinement)
        return fresh
    }

    /// Tries twice: where memory is short, the kernel may end one that has just begun.
    private func start(_ pack: PackFile, _ area: MessageArea) throws(ChildError) -> ChildProcess {
        do throws(ChildError) {
            return try ChildProcess(recipe, pack: pack.descriptor, messages: area.descriptor)
        } catch {
            return try ChildProcess(recipe, pack: pack.descriptor, messages: area.descriptor)
        }
    }

    private func openArea() throws(ChildError) -> MessageArea {
        if let area { return area }
        let fresh = try MessageArea()
        area = fresh
        return fresh
    }

    private func openPack() throws(ChildError) -> PackFile {
        if let pack {
            try pack.reset()
            return pack
        }
        let fresh = try PackFile(directory: recipe.stagingDirectory)
        pack = fresh
        return fresh
    }

    private func accept(_ response: ParseResponse, _ pack: PackFile) throws(ChildError) -> ParseResult {
        switch response {
        case .refused(let reason, let detail, let header, let defects):
            try pack.load(0..<0)
            return .refused(reason, detail: detail, header: header, defects: defects.list ?? [])
        case .message(let content):
            var defects = content.defects
            let packed = content.attachments
            ranges = packed.map { $0.offset..<($0.offset + $0.count) }
            let start = ranges.map(\.lowerBound).min() ?? 0
            try pack.load(start..<(ranges.map(\.upperBound).max() ?? start))
            attachments.reserveCapacity(packed.count)
            for (attachment, range) in zip(packed, ranges) {
                let display = DisplayName.make(
                    sentName: attachment.sentName ?? attachment.suggestedName, contentType: attachment.contentType,
                    fallbackStem: "part-\(attachment.partPath)")
                // A name from the subject of a nested message was no file name.
                if attachment.sentName != nil { defects.formUnion(display.defects) }
                attachments.append(
                    ParsedAttachment(
                        sentName: attachment.sentName, displayName: display.name, contentType: attachment.contentType,
                        size: attachment.count, digest: try pack.digest(range), isInline: attachment.isInline,
                        contentID: attachment.contentID, partPath: attachment.partPath))
            }
            return .message(
                ParsedMessage(
                    header: content.header, text: content.text, html: content.html, attachments: attachments,
                    defects: defects.list ?? [], report: content.report))
        }
    }
}

/// A message for a child to read, and nothing else: a small one in memory, a large one from its file.
private struct MessageFile: ~Copyable {
    let descriptor: Int32

    init(_ message: SpooledMessage) throws(ChildError) {
        if let bytes = message.content.memory {
            descriptor = try ChildError.catching(.cannotRead) { () throws(ProcessError) in
                try MemoryFile(sealed: bytes).take()
            }
            return
        }
        do throws(DiskError) {
            guard let file = try message.content.openFile() else {
                throw DiskError("open", "a message", code: EBADF)
            }
            descriptor = file
        } catch { throw .own(error) }
    }

    deinit { close(descriptor) }
}
