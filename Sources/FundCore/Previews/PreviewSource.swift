/// Pictures of files, as interfaces show them. What is not there yet is made when it is asked for. The caller has seen
/// that the user may read the file. Errors are `StoreError`.
package protocol PreviewSource: Sendable {
    /// What has come since a list was shown.
    var news: PreviewNews { get }
    /// Somebody uses the server at this moment: what nobody waits for makes way for a while. Called for each request,
    /// on any thread.
    func noteUse()
    /// What is there of these files at this moment. Asks for the thumbnails that are missing, ahead of those that
    /// no list shows; never waits for them. A file that is not in the answer has no previews here.
    func summaries(of files: [PreviewedFile]) async throws -> [ContentDigest: PreviewSummary]
    /// A thumbnail, page or large picture. Where it is not there yet, it is made ahead of all others, and waited for.
    func picture(
        _ kind: RenditionKind, page: Int, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer
    /// The words of one page, the same way: what a reader selects and copies. Empty for a page without text.
    func text(page: Int, of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer
    /// The rows of a table, or the fields of a calendar, of cards or of a mail, the same way: the JSON of `FileFields`.
    func fields(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer
}

/// What lists say of a file's previews.
package struct PreviewSummary: Sendable, Hashable {
    /// How far its thumbnail is.
    package enum State: Sendable, Hashable {
        /// The thumbnail is waiting, or is being made.
        case making
        /// The thumbnail is there.
        case ready
        /// There is none.
        case failed(RenditionFailure)
    }

    package var state: State
    /// As far as it is known by now.
    package var info: FileInfo?
    /// Of the thumbnail, in pixels.
    package var width: Int?
    package var height: Int?

    package init(_ state: State, info: FileInfo? = nil, width: Int? = nil, height: Int? = nil) {
        self.state = state
        self.info = info
        self.width = width
        self.height = height
    }
}

/// What came of asking for a rendition.
package enum PreviewAnswer: Sendable {
    case ready(PreviewContent)
    /// Not made within the time; so many wait before it.
    case making(ahead: Int)
    case failed(RenditionFailure)
    /// So many wait that no more is taken.
    case full
}

/// The bytes of a rendition.
package struct PreviewContent: Sendable {
    package var rendition: Rendition
    package var bytes: [UInt8]

    package init(_ rendition: Rendition, bytes: [UInt8]) {
        self.rendition = rendition
        self.bytes = bytes
    }
}
