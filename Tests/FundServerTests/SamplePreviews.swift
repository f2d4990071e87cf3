import FundCore
import Synchronization

@testable import FundServer

/// Previews that a test says, of a picture of one pixel.
final class SamplePreviews: PreviewSource {
    enum Outcome: Sendable {
        case ready, full
        case making(ahead: Int)
        case failed(RenditionFailure)
    }

    /// A picture of 1 × 1 pixel (WebP Lossless Bitstream Specification).
    static let picture: [UInt8] = [
        0x52, 0x49, 0x46, 0x46, 0x1A, 0, 0, 0, 0x57, 0x45, 0x42, 0x50, 0x56, 0x50, 0x38, 0x4C, 0x0D, 0, 0, 0, 0x2F, 0,
        0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07, 0,
    ]
    static let words = Array("Words <b>of</b> page ".utf8)
    /// Fields of every file that is not named.
    static let calendar: FileFields = {
        var event = CalendarFields.Event()
        let day = CivilDate(year: 2026, month: 11, day: 25)
        (event.title, event.start) = ("Board meeting", CalendarTime(day, ClockTime("09:00:00"), zone: .utc))
        event.organiser = FieldPerson(name: "Ann", address: "ann@example.com")
        event.attendees = [FieldPerson(name: "Bea", state: .accepted)]
        return .calendar(CalendarFields(name: "Board", events: [event], hasMore: false))
    }()
    /// Pages of every document.
    static let pageCount = 3

    struct State {
        /// Outcome for all files that are not named.
        var usual = Outcome.ready
        var outcomes: [ContentDigest: Outcome] = [:]
        var info: [ContentDigest: FileInfo] = [:]
        var fields: [ContentDigest: FileFields] = [:]
        /// The files of each question of a list.
        var lists: [[ContentDigest]] = []
        /// Renditions that were asked for one by one.
        var asked: [RenditionKey] = []
        var isBroken = false
        var makesDocuments = true
        /// Requests of people.
        var uses = 0
    }

    let state = Mutex(State())
    let news = PreviewNews()

    func set(_ outcome: Outcome, of digest: ContentDigest, _ info: FileInfo? = nil) {
        state.withLock { state in
            state.outcomes[digest] = outcome
            state.info[digest] = info
        }
    }

    var makesDocuments: Bool { state.withLock(\.makesDocuments) }

    /// Gives the text that would be drawn, behind the bytes of the picture.
    func marked(_ picture: PreviewContent, with text: String) async throws -> [UInt8] {
        picture.bytes + Array(text.utf8)
    }

    /// A PDF that is none but in its first line; behind it is the HTML.
    func document(ofHTML html: [UInt8]) async throws -> [UInt8] {
        let usual = state.withLock { $0.usual }
        switch usual {
        case .ready: return Array("%PDF-1.6\n".utf8) + html
        case .failed(let failure): throw failure
        case .full, .making:
            // Until it is cancelled.
            let (stream, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            withExtendedLifetime(end) {}
            throw CancellationError()
        }
    }

    /// A copy that is a document of three pages, or a text where its bytes are none of a PDF.
    func transientFile(
        of size: Int64?, atMost most: Int64, reading read: @escaping PieceReading
    ) async throws -> any TransientFile {
        let bytes = Mutex<[UInt8]>([])
        try await read { piece in bytes.withLock { $0 += piece } }
        if case .failed(let failure) = state.withLock(\.usual) { throw failure }
        return SampleCopy(bytes.withLock(\.self))
    }

    func noteUse() { state.withLock { $0.uses += 1 } }

    func summaries(of files: [PreviewedFile]) async throws -> [PreviewSummary] {
        try state.withLock { state in
            state.lists.append(files.map(\.digest))
            if state.isBroken { throw StoreError(.io, "previews", "broken") }
            return files.map { file in
                let info = state.info[file.digest]
                return switch state.outcomes[file.digest] ?? state.usual {
                case .ready: PreviewSummary(.ready, of: file.digest, info: info, width: 339, height: 480)
                case .making, .full: PreviewSummary(.making, of: file.digest, info: info)
                case .failed(let failure): PreviewSummary(.failed(failure), of: file.digest, info: info)
                }
            }
        }
    }

    func picture(
        _ kind: RenditionKind, page: Int, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer {
        answer(Self.picture, RenditionKey(file.digest, kind, page: page))
    }

    func text(page: Int, of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer {
        answer(Self.words + Array("\(page)".utf8), RenditionKey(file.digest, .text, page: page))
    }

    static let peaks: [UInt8] = [0, 127, 64]

    func waveform(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer {
        answer(Self.peaks, RenditionKey(file.digest, .waveform))
    }

    func fields(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer {
        let fields = state.withLock { $0.fields[file.digest] ?? Self.calendar }
        return answer(try fields.json(), RenditionKey(file.digest, .fields))
    }

    private func answer(_ bytes: [UInt8], _ key: RenditionKey) -> PreviewAnswer {
        state.withLock { state in
            state.asked.append(key)
            switch state.outcomes[key.content] ?? state.usual {
            case .ready where key.page > Self.pageCount: return .failed(.unsupported)
            case .ready:
                return .ready(PreviewContent(Rendition(key, digest: .of(bytes), size: bytes.count), bytes: bytes))
            case .making(let ahead): return .making(ahead: ahead)
            case .failed(let failure): return .failed(failure)
            case .full: return .full
            }
        }
    }
}

/// A file of a drive that was copied to be shown.
private struct SampleCopy: TransientFile {
    private let bytes: [UInt8]
    let info: FileInfo

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var info = FileInfo(bytes.starts(with: Array("%PDF".utf8)) ? .pdf : .text)
        if info.type == .pdf { (info.pageCount, info.width, info.height) = (SamplePreviews.pageCount, 595, 842) }
        self.info = info
    }

    var size: Int64 { Int64(bytes.count) }

    func picture(_ kind: RenditionKind, page: Int) throws -> [UInt8] {
        guard page <= info.pageCount ?? 0 else { throw RenditionFailure.unsupported }
        return SamplePreviews.picture
    }

    func words(page: Int) -> [UInt8] { bytes }

    func fields() throws -> FileFields { throw RenditionFailure.unsupported }
}

extension ServerHarness.Options {
    static var withPreviews: Self { with(SamplePreviews()) }

    static func with(_ previews: SamplePreviews) -> Self {
        var options = Self()
        options.previews = previews
        return options
    }
}
