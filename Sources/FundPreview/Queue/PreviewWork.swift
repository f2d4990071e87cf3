internal import Dispatch
internal import FundCore

/// Does one piece of work: from a content to its renditions.
struct PreviewWork: Sendable {
    /// Work that cannot be done now.
    enum Postponed: Error {
        /// Another piece of work of this family has to end before.
        case family(TrueType.Family)
        /// The scanner cannot be asked.
        case scanner(problem: String)
        /// It failed at this content, which `PreviewRegister.noteFailedScan` knows.
        case failedScan(problem: String)
        /// Nothing is made of it before its scan has ended.
        case awaitingScan
        /// The disk has no room for a copy of the content.
        case room
    }

    let converter: any Converter
    let register: any PreviewRegister
    let contents: @Sendable (ContentDigest, _ size: Int64) throws -> (any StoredContent)?
    /// For large inputs.
    let folder: String
    let room: CopyRoom
    /// Nil where nothing is scanned.
    let scan: ScanSettings?
    /// Nil where words in pictures are not recognised.
    let recognition: RecognitionSettings?
    /// Nil where mails are shown as text.
    let mails: MailReader?
    let queue = DispatchQueue(label: "fundmail.preview.input", attributes: .concurrent)

    init(
        converter: any Converter, register: any PreviewRegister, folder: String, room: CopyRoom, scan: ScanSettings?,
        recognition: RecognitionSettings?,
        mails: MailReader? = nil,
        contents: @escaping @Sendable (ContentDigest, _ size: Int64) throws -> (any StoredContent)?
    ) {
        self.converter = converter
        self.register = register
        self.folder = folder
        self.room = room
        self.scan = scan
        self.recognition = recognition
        self.mails = mails
        self.contents = contents
    }

    /// - Parameter admits: whether a tool of this family may run now. Throws `Postponed` otherwise, `StoreError` when
    ///   the content cannot be read, `DiskError` when the system hindered it, and `CancellationError`.
    func run(
        _ job: PreviewJob, admits: @Sendable (TrueType.Family) -> Bool
    ) async throws -> PreviewResult {
        let order = job.order
        var result = PreviewResult(recipe: recipe(of: order.key.kind))
        let isScan = order.key.kind == .verdict
        guard order.size > 0 else { return result.failed(.unsupported) }
        let isTooLarge = order.size > InputFile.maxBytes
        guard isScan || !isTooLarge else { return result.failed(.tooLarge) }
        // Before the content is copied: it may wait for long.
        if isScan {
            _ = try await requireScanner()
        } else if let scan {
            // No picture scans its file itself: at a scanner that hangs it would hold up all others.
            switch try await scan.quarantine.refusal(of: order.key.content) {
            case .malware: return result.failed(.quarantined)
            case .unscanned: throw Postponed.awaitingScan
            case nil: break
            }
        }
        let copied = order.size > InputFile.maxMemoryBytes ? order.size : 0
        // The scanner itself takes a content of any size, or says that it is too large.
        guard !isTooLarge, await room.take(copied) else {
            guard isScan, let scan else { throw Postponed.room }
            let content = try await queue.run { [self] in try open(order) }
            result.verdict = try await verdict(of: job, scan) { try await scan.scanner.verdict(of: content) }
            return result
        }
        defer { room.give(copied) }
        let input = try await queue.run { [self] in SharedInput(try InputFile(open(order), in: folder)) }
        if isScan {
            guard let scan else { throw Postponed.awaitingScan }
            result.verdict = try await verdict(of: job, scan) {
                await scan.scanner.verdict(of: input.descriptor, size: order.size)
            }
            return result
        }
        let known = try await register.info(of: order.key.content)
        let type: TrueType
        if let known, known.type != .unknown {
            type = known.type
        } else {
            type = await queue.run { TrueType.of(descriptor: input.descriptor) }
        }
        result.info = known.flatMap { $0.type == type ? $0 : nil } ?? FileInfo(type)
        guard admits(type.family) else { throw Postponed.family(type.family) }
        do {
            try await make(order.key, of: type, input, job, &result)
        } catch let failure as RenditionFailure {
            result = result.failed(failure)
            result.isTriedAgain = failure.isWorthAnotherTry && job.attempt == 1
        }
        return result
    }

    /// A picture with a mark over all of it.
    func marked(_ picture: PreviewContent, with mark: Watermark) async throws -> [UInt8] {
        guard let size = WebPHeader(picture.bytes) else { throw RenditionFailure.damaged }
        let drawing = mark.drawing(width: size.width, height: size.height)
        let input = try await queue.run { SharedInput(try InputFile(picture.bytes + drawing)) }
        defer { withExtendedLifetime(input) {} }
        let conversion = Conversion(.marked(pictureBytes: picture.bytes.count), of: .webp, isAwaited: true)
        let made = try await converter.convert(conversion, of: input.descriptor)
        guard case .picture(let bytes, size.width, size.height) = made else { throw RenditionFailure.crashed }
        return bytes
    }

    /// HTML as PDF.
    func document(ofHTML html: [UInt8]) async throws -> [UInt8] {
        let input = try await queue.run { SharedInput(try InputFile(html)) }
        defer { withExtendedLifetime(input) {} }
        let conversion = Conversion(.document, of: .html, isAwaited: true)
        guard case .document(let bytes) = try await converter.convert(conversion, of: input.descriptor) else {
            throw RenditionFailure.crashed
        }
        return bytes
    }

    /// The content of an order is not there, and says nothing of a file that has it later.
    struct MissingContent: Error {}

    private func open(_ order: PreviewOrder) throws -> any StoredContent {
        guard let content = try contents(order.key.content, order.size) else { throw MissingContent() }
        return content
    }

    /// Version of the recipe of renditions of a kind, or of their absence where words are not recognised.
    func recipe(of kind: RenditionKind) -> Int {
        guard kind == .recognised, let recognition else { return PreviewRecipe.current }
        return recognition.recipe
    }

    /// Throws `Postponed` where there is no scanner whose answers count.
    private func requireScanner() async throws -> ScannerSignatures {
        if let signatures = await scan?.scanner.signatures() { return signatures }
        try Task.checkCancellation()
        throw Postponed.scanner(problem: "clamd does not answer, or not as it should: see `fundmail doctor`")
    }

    /// Scans a content by `look`, and keeps from people at once what is malware. Gives by which signatures, too. Throws
    /// `Postponed` where there is no verdict.
    private func verdict(
        of job: PreviewJob, _ scan: ScanSettings, _ look: () async throws -> Verdict
    ) async throws -> (Verdict, Int64) {
        let content = job.order.key.content
        let version = try await requireScanner().version
        let verdict = try await look()
        switch verdict {
        case .infected(let name):
            // Before anything else: people are not to wait for a queue.
            try await scan.quarantine.quarantine(content, malware: name, at: .now)
        case .clean: try await scan.quarantine.noteClean(content)
        case .limit, .encrypted: break
        case .unscanned(let problem):
            try Task.checkCancellation()
            // Where nothing that it says counts, that is no failure at this content.
            guard await scan.scanner.signatures() != nil else {
                try Task.checkCancellation()
                throw Postponed.scanner(problem: problem)
            }
            try Task.checkCancellation()
            try await register.noteFailedScan(job, problem: problem, signatures: version, at: .now)
            throw Postponed.failedScan(problem: problem)
        }
        return (verdict, version)
    }

    private func make(
        _ key: RenditionKey, of type: TrueType, _ input: SharedInput, _ job: PreviewJob, _ result: inout PreviewResult
    ) async throws {
        guard type.family != .unknown, key.kind != .fields || type.family == .text else {
            throw RenditionFailure.unsupported
        }
        if result.info?.isComplete != true, type.family != .text, type.family != .archive {
            guard case .info(let info) = try await convert(.info, of: type, job, input) else {
                throw RenditionFailure.crashed
            }
            result.info = info
            if info.isEncrypted { throw RenditionFailure.encrypted }
        }
        switch key.kind {
        case .info, .verdict: break
        case .text:
            // A mail that cannot be parsed is a text all the same.
            if type == .mail, let words = try await readMail(input, job, { try await $0.words(of: $1) }) ?? nil {
                return await add(words, as: key, to: &result)
            }
            guard case .text(let bytes) = try await convert(.text, of: type, job, input) else {
                throw RenditionFailure.crashed
            }
            await add(bytes, as: key, to: &result)
        case .fields:
            let fields: FileFields
            if type == .mail {
                guard let read = try await readMail(input, job, { try await $0.fields(of: $1) }) else {
                    throw RenditionFailure.unsupported
                }
                fields = .mail(read)
            } else {
                guard case .fields(let read) = try await convert(.fields, of: type, job, input) else {
                    throw RenditionFailure.crashed
                }
                fields = read
            }
            await add(try fields.json(), as: key, to: &result)
        case .recognised:
            guard let recognition else { throw RenditionFailure.unsupported }
            let work = Conversion.Work.recognition(page: key.page, languages: recognition.languages)
            guard case .text(let bytes) = try await convert(work, of: type, job, input) else {
                throw RenditionFailure.crashed
            }
            await add(bytes, as: key, to: &result)
        case .document:
            guard type.family == .office else { throw RenditionFailure.unsupported }
            _ = try await document(key.content, of: type, input, job, &result)
        case .waveform:
            guard type.family == .audio else { throw RenditionFailure.unsupported }
            _ = try await waveform(key.content, of: type, input, job, &result)
        case .thumbnail, .page, .large:
            guard let pixels = key.kind.pixels else { throw RenditionFailure.unsupported }
            var (source, sourceType) = (input, type)
            if type.family == .office {
                source = try await document(key.content, of: type, input, job, &result)
                sourceType = .pdf
            } else if type.family == .audio {
                guard key.kind == .thumbnail else { throw RenditionFailure.unsupported }
                let waveform = try await waveform(key.content, of: type, input, job, &result)
                let drawing = waveform.drawing(width: pixels, height: pixels / 4 * 3, bars: Self.barsOfThumbnails)
                source = try await queue.run { SharedInput(try InputFile(drawing)) }
                sourceType = .svg
            }
            if let pages = result.info?.pageCount, key.page > pages { throw RenditionFailure.unsupported }
            let picture = try await convert(.picture(pixels: pixels, page: key.page), of: sourceType, job, source)
            guard case .picture(let bytes, let width, let height) = picture else { throw RenditionFailure.crashed }
            await add(bytes, as: key, width: width, height: height, to: &result)
        }
    }

    /// Nil where mails are shown as text. The parser gets a copy of its own.
    private func readMail<Value>(
        _ input: SharedInput, _ job: PreviewJob, _ read: (MailReader, Int32) async throws -> Value
    ) async throws -> Value? {
        guard let mails else { return nil }
        guard await room.take(job.order.size) else { throw Postponed.room }
        defer { room.give(job.order.size) }
        return try await read(mails, input.descriptor)
    }

    /// An office document as PDF: the one that is kept, or a new one, whose number of pages is noted.
    private func document(
        _ content: ContentDigest, of type: TrueType, _ input: SharedInput, _ job: PreviewJob,
        _ result: inout PreviewResult
    ) async throws -> SharedInput {
        let key = RenditionKey(content, .document)
        if case .ready(let rendition)? = try await register.state(of: key),
            let bytes = try await register.bytes(of: rendition)
        {
            return try await queue.run { SharedInput(try InputFile(bytes)) }
        }
        guard case .document(let bytes) = try await convert(.document, of: type, job, input) else {
            throw RenditionFailure.crashed
        }
        let source = try await queue.run { SharedInput(try InputFile(bytes)) }
        if case .info(let info) = try await convert(.info, of: .pdf, job, source) {
            result.info?.pageCount = info.pageCount
            result.info?.width = info.width
            result.info?.height = info.height
        }
        await add(bytes, as: key, to: &result)
        return source
    }

    /// Bars of a sound in a list, where it is a finger wide.
    private static let barsOfThumbnails = 48

    /// The waveform of a sound: the one that is kept, or a new one.
    private func waveform(
        _ content: ContentDigest, of type: TrueType, _ input: SharedInput, _ job: PreviewJob,
        _ result: inout PreviewResult
    ) async throws -> Waveform {
        let key = RenditionKey(content, .waveform)
        if case .ready(let rendition)? = try await register.state(of: key),
            let bytes = try await register.bytes(of: rendition), let waveform = Waveform(peaks: bytes)
        {
            return waveform
        }
        guard case .waveform(let waveform) = try await convert(.waveform, of: type, job, input) else {
            throw RenditionFailure.crashed
        }
        await add(waveform.peaks, as: key, to: &result)
        return waveform
    }

    private func add(
        _ bytes: [UInt8], as key: RenditionKey, width: Int? = nil, height: Int? = nil, to result: inout PreviewResult
    ) async {
        let digest = await queue.run { ContentDigest.of(bytes) }
        result.made.append(
            PreviewContent(
                Rendition(key, digest: digest, size: bytes.count, width: width, height: height), bytes: bytes))
    }

    private func convert(
        _ work: Conversion.Work, of type: TrueType, _ job: PreviewJob, _ input: SharedInput
    ) async throws -> Converted {
        let conversion = Conversion(work, of: type, attempt: job.attempt, isAwaited: job.order.priority == .asked)
        return try await converter.convert(conversion, of: input.descriptor)
    }
}

extension FileInfo {
    /// A converter has looked at it.
    fileprivate var isComplete: Bool { pageCount != nil || width != nil || milliseconds != nil }
}

extension PreviewResult {
    fileprivate func failed(_ failure: RenditionFailure) -> PreviewResult {
        var result = self
        result.failure = failure
        return result
    }
}

/// How renditions are made: raised with every change of a tool's options, so that what failed is tried again.
enum PreviewRecipe {
    static let current = 2
}
