/// Names an upload that can be resumed: 128 random bits, so that no user finds another's.
package struct UploadKey: Sendable, Hashable, CustomStringConvertible {
    private static let byteCount = 16

    /// 32 hexadecimal digits in lower case.
    package let text: String

    /// Nil for anything but 32 hexadecimal digits in lower case.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.byteCount, let bytes = Hex.bytes(text.utf8), Hex.text(bytes) == text else {
            return nil
        }
        self.text = text
    }

    private init(random: Void) {
        text = Hex.text((0..<Self.byteCount).map { _ in UInt8.random(in: 0...255) })
    }

    /// Of a new upload.
    package static func random() -> UploadKey { UploadKey(random: ()) }

    package var description: String { text }
}

/// What an upload is to become once all of its bytes are there.
package enum UploadGoal: Sendable, Hashable {
    /// A file under a name. `FileTarget.expected` and `.modifiedAt` are not kept.
    case file(FileTarget)
    /// The content of a file that is there; with a digest only as long as it has that content.
    case content(of: FileEntry.ID, ifStill: ContentDigest?)
}

/// What an upload begins with.
package struct UploadOrder: Sendable, Hashable {
    package var goal: UploadGoal
    package var contentType: String
    /// Bytes of the whole; nil when the client does not know yet.
    package var length: Int64?
    /// Modification time of the file, as its owner's program has it; nil for when it is complete.
    package var modifiedAt: Timestamp?

    package init(_ goal: UploadGoal, contentType: String, length: Int64?, modifiedAt: Timestamp? = nil) {
        self.goal = goal
        self.contentType = contentType
        self.length = length
        self.modifiedAt = modifiedAt
    }
}

/// How far an upload has come.
package struct UploadProgress: Sendable, Hashable {
    /// Time after which an upload is removed to which no byte comes, and what is known of a complete one.
    package static let lifetime = Duration.seconds(24 * 60 * 60)

    package var key: UploadKey
    package var goal: UploadGoal
    /// Bytes that are there and stay, also when the power fails.
    package var offset: Int64
    /// Bytes of the whole, once a client has said it.
    package var length: Int64?
    /// Which file it became; nil as long as it is not complete.
    package var file: FileEntry.ID?
    /// When it is removed unless bytes come.
    package var endsAt: Timestamp

    package init(
        key: UploadKey, goal: UploadGoal, offset: Int64, length: Int64?, file: FileEntry.ID?, endsAt: Timestamp
    ) {
        self.key = key
        self.goal = goal
        self.offset = offset
        self.length = length
        self.file = file
        self.endsAt = endsAt
    }
}

/// The part of the store that keeps uploads which go on after a cut connection, a killed process and a power failure:
/// their bytes in files, the rest in rows. An upload belongs to its user; what belongs to another, and what leads into
/// a fund that the user has no more, answers `notFound`. Errors are `StoreError`.
package protocol ResumableUploads: Sendable {
    /// A new one without bytes, which is durable. `notFound` without its place or file, `tooMany` when the user has as
    /// many that are not complete as one may have.
    func beginUpload(_ order: UploadOrder, of user: User.ID) async throws -> any OpenUpload
    /// Throws unless the user has one of this name.
    func checkUpload(_ key: UploadKey, of user: User.ID) async throws
    /// How far one has come; makes durable what is there. `held` while a process has it open.
    ///
    /// - Parameter open: the upload where this process has it open.
    func uploadProgress(
        _ key: UploadKey, open: (any OpenUpload)?, of user: User.ID
    ) async throws -> UploadProgress
    /// To go on with one, with its bytes read again. `held` while a process has it open, `conflict` when it is
    /// complete.
    func resumeUpload(_ key: UploadKey, of user: User.ID) async throws -> any OpenUpload
    /// Makes a file of one whose bytes are all there, as `FileLibrary.addFile` does, in one transaction with noting
    /// which: asked again, it gives that file again. Until it succeeds, it can be tried again. Throws as `addFile`;
    /// `preconditionFailed` when a file has another content than it should.
    func completeUpload(_ upload: any OpenUpload, of user: User.ID) async throws -> FileEntry
    /// Nothing of it stays but the file that it may have become. `open` as in `uploadProgress`.
    func removeUpload(_ key: UploadKey, open: (any OpenUpload)?, of user: User.ID) async throws
}

/// An upload whose bytes come. One process has it open, for one request at a time. All calls block.
package protocol OpenUpload: AnyObject, Sendable {
    /// Its name.
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
