/// Takes the bytes of uploads. Errors are `StoreError`.
package protocol UploadStaging: Sendable {
    /// A place for the bytes of an upload. Throws `outOfSpace` when the announced bytes, if known, do not fit beside
    /// the uploads under way; its `append` does when more come. Both block.
    func makeUpload(named name: String, announcing bytes: Int64?) throws -> any UploadWriter
    /// A place for the bytes of a file of a drive, which holds those that came of this state of it before; after
    /// another start of the machine it has none. They stay when it goes away before it is added, until `giveUp` or the
    /// end of the transfer. Throws as `makeUpload`. Blocks while it reads what came.
    /// - Parameter count: gets the bytes that came before, piece by piece.
    func resumeUpload(
        of part: PulledPart, named name: String, count: (Int) -> Void
    ) throws -> any UploadWriter
}

/// Takes the bytes of an upload and hashes them. Goes away without a trace unless it is finished and added.
package protocol UploadWriter: AnyObject, Sendable {
    /// The bytes that it has so far.
    var size: Int64 { get }
    /// Blocks.
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// The file to which another process may append the bytes instead; nil for an upload that has none of its own.
    /// - Parameter size: bytes of the whole content.
    func growing(to size: Int64) -> (any GrowingFile)?
    /// Ends the upload: no more bytes come.
    func finish(contentType: String) throws -> StagedUpload
    /// Has it go away without a trace, also where its bytes would stay for another one (`resumeUpload`).
    func giveUp()
}
