/// Pictures of files, as interfaces show them. What is not there yet is made when it is asked for. The caller has seen
/// that the user may read the file. Errors are `StoreError`.
package protocol PreviewSource: Sendable {
    /// Thumbnails that have come since a list was shown.
    var news: PreviewNews { get }
    /// A request of a signed-in user was answered: background work begins less often for the next second. Called on
    /// any thread.
    func noteUse()
    /// The present summaries of these files. Asks for the thumbnails that are missing, ahead of those that no list
    /// shows; never waits for them. One for each file, in their order.
    func summaries(of files: [PreviewedFile]) async throws -> [PreviewSummary]
    /// A thumbnail, page or large picture. Where it is not there yet, it is made ahead of all others, and waited for.
    func picture(
        _ kind: RenditionKind, page: Int, of file: PreviewedFile, waitingAtMost wait: Duration
    ) async throws -> PreviewAnswer
    /// The words of one page, the same way: what a reader selects and copies. Empty for a page without text.
    func text(page: Int, of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer
    /// The peaks of a sound (`Waveform`), the same way.
    func waveform(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer
    /// The rows of a table, or the fields of a calendar, of cards or of a mail, the same way: the JSON of `FileFields`.
    func fields(of file: PreviewedFile, waitingAtMost wait: Duration) async throws -> PreviewAnswer
    /// A picture with a text drawn over all of it, as WebP of the same size. It is made for this call, and not kept.
    /// Throws `RenditionFailure`.
    func marked(_ picture: PreviewContent, with text: String) async throws -> [UInt8]
    /// Whether the program is installed that makes documents of HTML.
    var makesDocuments: Bool { get }
    /// The PDF of a whole HTML document in UTF-8, of which nothing is fetched. It is made for this call, and not kept;
    /// a task that is cancelled ends it. Throws `RenditionFailure`.
    func document(ofHTML html: [UInt8]) async throws -> [UInt8]
    /// Copies a file that the store does not have, for those who look at it. A task that is cancelled ends it. Throws
    /// `RenditionFailure`: `tooLarge` beyond `most` bytes, and what keeps it from being shown. Throws `StoreError` with
    /// `outOfSpace` where the disk has no room for the copy, with `unscanned` where nothing is shown before a scan and
    /// the scanner does not look at it, and what `read` throws.
    /// - Parameters:
    ///   - size: bytes that are expected; nil where nothing tells it.
    ///   - read: gives the bytes of the file, in pieces from its beginning, to what it is called with.
    func transientFile(
        of size: Int64?, atMost most: Int64, reading read: @escaping PieceReading
    ) async throws -> any TransientFile
}
