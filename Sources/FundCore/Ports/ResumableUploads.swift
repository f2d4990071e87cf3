/// The part of the store that keeps uploads which go on after a cut connection, a killed process and a power failure:
/// their bytes in files, the rest in rows. An upload belongs to its user; what belongs to another, and what leads into
/// a fund that the user has no more, answers `notFound`. Errors are `StoreError`.
package protocol ResumableUploads: Sendable {
    /// A new one without bytes, which is durable. `notFound` without its place or file, `tooMany` when the user has as
    /// many that are not complete as one may have.
    func beginUpload(_ order: UploadOrder, of user: User.ID) async throws -> any OpenUpload
    /// Throws unless the user has one of this name.
    func checkUpload(_ key: UploadKey, of user: User.ID) async throws
    /// The state of an upload; makes its bytes durable. `held` while a process has it open.
    ///
    /// - Parameter open: the upload where this process has it open.
    func uploadProgress(
        _ key: UploadKey, open: (any OpenUpload)?, of user: User.ID
    ) async throws -> UploadProgress
    /// To go on with one, with its bytes read again. `held` while a process has it open, `conflict` when it is
    /// complete.
    func resumeUpload(_ key: UploadKey, of user: User.ID) async throws -> any OpenUpload
    /// Makes a file of one whose bytes are all there, as `FileWriting.addFile` does, in one transaction with noting
    /// which: asked again, it gives that file again. Until it succeeds, it can be tried again. Throws as `addFile`;
    /// `preconditionFailed` when a file has another content than it should.
    func completeUpload(_ upload: any OpenUpload, of user: User.ID) async throws -> FileEntry
    /// Removes an upload, but not the file that it may have become. `open` as in `uploadProgress`.
    func removeUpload(_ key: UploadKey, open: (any OpenUpload)?, of user: User.ID) async throws
}

/// An upload whose bytes come. One process has it open, for one request at a time. All calls block.
package protocol OpenUpload: AnyObject, Sendable {
    /// Name of the upload.
    var key: UploadKey { get }
    /// Bytes that came; not all need be durable.
    var offset: Int64 { get }
    /// Bytes of the whole, once a client has said it.
    var length: Int64? { get }
    /// A request begins that brings up to so many bytes; nil when that is not known. Throws `outOfSpace` when they do
    /// not fit beside other uploads under way.
    func beginRequest(announcing bytes: Int64?) throws
    /// After it the upload must be opened anew when it throws: what came of the bytes is not known here.
    func append(_ bytes: UnsafeRawBufferPointer) throws
    /// The size of the whole is known from now on. Throws `conflict` when it was another.
    func noteLength(_ length: Int64) throws
    /// Makes what came durable. Gives how far that is.
    func sync() throws -> Int64
    /// The request has ended: the room that it may still have needed is free.
    func endRequest()
}
