/// Takes the bytes of uploads. Errors are `StoreError`.
package protocol UploadStaging: Sendable {
    /// A place for the bytes of an upload. Throws `outOfSpace` when the announced bytes, if known, do not fit beside
    /// the uploads under way; its `append` does when more come. Both block.
    func makeUpload(named name: String, announcing bytes: Int64?) throws -> any UploadWriter
}

/// Takes the bytes of an upload and hashes them. Goes away without a trace unless it is finished and added.
package protocol UploadWriter: AnyObject, Sendable {
    /// Blocks.
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Ends the upload: no more bytes come.
    func finish(contentType: String) throws -> StagedUpload
}
