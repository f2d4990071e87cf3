/// Reads a file from its beginning to its end, and gives its bytes in pieces to `take`, whose errors it throws.
package typealias PieceReading =
    @Sendable (
        _ take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Void

/// A file that the store does not have, in a nameless copy that is gone with this value. Its previews are made when
/// they are asked for, by the converters of all previews, and are not kept.
package protocol TransientFile: Sendable {
    /// Its type by its own bytes, and its measures.
    var info: FileInfo { get }
    /// Bytes of the copy.
    var size: Int64 { get }
    /// A page of a document, a picture, or a moment of a video, as WebP. Throws `RenditionFailure`: `unsupported` for
    /// other files, and for a page that is not there.
    func picture(_ kind: RenditionKind, page: Int) async throws -> [UInt8]
    /// The words of one page in UTF-8; empty for a page without words. Throws `RenditionFailure`.
    func words(page: Int) async throws -> [UInt8]
    /// The rows of a table, or the fields of a calendar, of cards or of a mail. Throws `RenditionFailure`:
    /// `unsupported` for other files.
    func fields() async throws -> FileFields
}
