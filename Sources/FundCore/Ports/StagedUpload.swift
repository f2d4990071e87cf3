/// The bytes of an upload: staged, and in no row yet.
package struct StagedUpload: Sendable {
    package var digest: ContentDigest
    package var size: Int64
    package var contentType: String
    /// Gives the bytes up when the last user of the upload is gone.
    package var owner: any UploadWriter

    package init(digest: ContentDigest, size: Int64, contentType: String, owner: any UploadWriter) {
        self.digest = digest
        self.size = size
        self.contentType = contentType
        self.owner = owner
    }
}
