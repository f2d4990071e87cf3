internal import FundCore
internal import Glibc
internal import Synchronization

/// A file that the store does not have, in a file without a name, and what converters make of it.
final class TransientCopy: TransientFile {
    let info: FileInfo
    let size: Int64
    private let input: SharedInput
    /// The PDF of an office document; the input itself of any other file.
    private let source: (input: SharedInput, type: TrueType)
    private let work: PreviewWork
    private let room: RoomShare
    /// Nil until they are asked for.
    private let pagedWords = Mutex<[[UInt8]]?>(nil)

    /// - Parameter input: holds `size` bytes.
    init(_ input: SharedInput, size: Int64, in room: RoomShare, _ work: PreviewWork) async throws {
        let type = await work.queue.run { TrueType.of(descriptor: input.descriptor) }
        var (info, source) = (FileInfo(type), (input: input, type: type))
        switch type.family {
        case .unknown: throw RenditionFailure.unsupported
        case .text, .archive: break
        case .pdf, .picture, .vector, .video, .audio, .office:
            info = try await Self.info(of: input, type, work)
            guard type.family == .office else { break }
            guard case .document(let bytes) = try await Self.convert(.document, input, type, work) else {
                throw RenditionFailure.crashed
            }
            source = (try await work.queue.run { SharedInput(try InputFile(bytes)) }, .pdf)
            let pages = try await Self.info(of: source.input, .pdf, work)
            (info.pageCount, info.width, info.height) = (pages.pageCount, pages.width, pages.height)
        }
        (self.info, self.size, self.input, self.source) = (info, size, input, source)
        (self.work, self.room) = (work, room)
    }

    private static func info(of input: SharedInput, _ type: TrueType, _ work: PreviewWork) async throws -> FileInfo {
        guard case .info(let info) = try await convert(.info, input, type, work) else {
            throw RenditionFailure.crashed
        }
        if info.isEncrypted { throw RenditionFailure.encrypted }
        return info
    }

    private static func convert(
        _ conversion: Conversion.Work, _ input: SharedInput, _ type: TrueType, _ work: PreviewWork
    ) async throws -> Converted {
        defer { withExtendedLifetime(input) {} }
        return try await work.converter.convert(
            Conversion(conversion, of: type, isAwaited: true), of: input.descriptor)
    }

    func picture(_ kind: RenditionKind, page: Int) async throws -> [UInt8] {
        guard let pixels = kind.pixels, page <= info.pageCount ?? 1 else { throw RenditionFailure.unsupported }
        switch source.type.family {
        case .pdf, .picture, .vector, .video: break
        case .office, .audio, .text, .archive, .unknown: throw RenditionFailure.unsupported
        }
        let made = try await Self.convert(.picture(pixels: pixels, page: page), source.input, source.type, work)
        guard case .picture(let bytes, _, _) = made else { throw RenditionFailure.crashed }
        return bytes
    }

    func words(page: Int) async throws -> [UInt8] {
        var pages = pagedWords.withLock(\.self)
        if pages == nil {
            let words = try await allWords()
            pages = await work.queue.run { PagedText.pages(of: words).map { Array($0) } }
            pagedWords.withLock { $0 = pages }
        }
        return pages.flatMap { $0.indices.contains(page - 1) ? $0[page - 1] : nil } ?? []
    }

    private func allWords() async throws -> [UInt8] {
        let words: [UInt8]? = try await readMail { try await $0.words(of: $1) } ?? nil
        if let words { return words }
        guard case .text(let bytes) = try await Self.convert(.text, input, info.type, work) else {
            throw RenditionFailure.crashed
        }
        return bytes
    }

    func fields() async throws -> FileFields {
        guard info.type.family == .text else { throw RenditionFailure.unsupported }
        if info.type == .mail {
            guard let fields = try await readMail({ try await $0.fields(of: $1) }) else {
                throw RenditionFailure.unsupported
            }
            return .mail(fields)
        }
        guard case .fields(let fields) = try await Self.convert(.fields, input, info.type, work) else {
            throw RenditionFailure.crashed
        }
        return fields
    }

    /// Nil for other files, and where mails are shown as text. The parser gets a copy of its own.
    private func readMail<Value>(_ read: (MailReader, Int32) async throws -> Value) async throws -> Value? {
        guard info.type == .mail, let mails = work.mails else { return nil }
        guard await work.room.take(size) else { throw RoomShare.lack }
        defer { work.room.give(size) }
        defer { withExtendedLifetime(input) {} }
        return try await read(mails, input.descriptor)
    }
}

extension PreviewWork {
    /// See `PreviewSource.transientFile`. It is scanned where the store gives nothing before that (`unscanned: hold`);
    /// elsewhere people see what converters made that are confined, as of a file in the store that waits for its scan.
    func transientFile(
        of size: Int64?, atMost most: Int64, reading read: @escaping PieceReading
    ) async throws -> TransientCopy {
        let most = min(most, InputFile.maxBytes)
        let expected = size ?? most
        guard expected <= most else { throw RenditionFailure.tooLarge }
        guard expected > 0 else { throw RenditionFailure.unsupported }
        let share = try await RoomShare(expected > InputFile.maxMemoryBytes ? expected : 0, of: room)
        let folder = folder
        let count = Mutex<Int64>(0)
        let input = try await queue.run { SharedInput(try InputFile(holding: expected, in: folder)) }
        try await read { bytes in
            let position = count.withLock { count in
                defer { count += Int64(bytes.count) }
                return count
            }
            guard position + Int64(bytes.count) <= expected else { throw RenditionFailure.tooLarge }
            guard SystemCall.writeAll(bytes, to: input.descriptor, at: position) else {
                throw DiskError("write", folder)
            }
        }
        let size = count.withLock(\.self)
        if let scan { try await requireNoRefusal(input, size: size, by: scan) }
        return try await TransientCopy(input, size: size, in: share, self)
    }

    /// Throws `quarantined` for known malware. Has the copy scanned where the store would hold it: throws `quarantined`
    /// for malware, and `StoreError` with `unscanned` where the scanner does not look at all of it.
    private func requireNoRefusal(_ input: SharedInput, size: Int64, by scan: ScanSettings) async throws {
        let digest = try await queue.run {
            var bytes = [UInt8](repeating: 0, count: Int(size))
            let came = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: input.descriptor, at: 0) }
            guard came == bytes.count else { throw DiskError("read", folder, code: came < 0 ? errno : EIO) }
            return ContentDigest.of(bytes)
        }
        switch try await scan.quarantine.refusal(of: digest) {
        case nil: return
        case .malware: throw RenditionFailure.quarantined
        case .unscanned: break
        }
        let isAnswering = await scan.scanner.signatures() != nil
        switch isAnswering ? await scan.scanner.verdict(of: input.descriptor, size: size) : .unscanned(problem: "") {
        case .clean, .encrypted: return
        case .infected: throw RenditionFailure.quarantined
        case .limit, .unscanned:
            try Task.checkCancellation()
            throw StoreError(.unscanned, "show a file of a drive", "it was not scanned for malware")
        }
    }
}
