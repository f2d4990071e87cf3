/// A file or folder in a drive, as the store lists it.
package struct DriveEntry: Sendable, Hashable {
    /// The store's own: not always one that a path can have (`DrivePath.isName`).
    package var name: String
    package var isFolder: Bool
    /// The size in bytes; nil for folders, and for documents that the store writes only when they are read.
    package var size: Int64?
    package var modifiedAt: Timestamp?
    /// The store's own id of the entry, for stores that have ids. Only ever compared.
    package var storeID: String?
    /// A text that changes with the content, where the store has one: a checksum, or an id of the version. Only ever
    /// compared.
    package var version: String?
    /// The SHA-256 of the content, where the store tells it.
    package var digest: ContentDigest?
    /// The media type that the store tells.
    package var contentType: String?
    /// Whether `version` is a checksum of the content: a store tells it of files that have arrived whole.
    package var hasChecksum: Bool

    package init(
        name: String, isFolder: Bool, size: Int64? = nil, modifiedAt: Timestamp? = nil, storeID: String? = nil,
        version: String? = nil, digest: ContentDigest? = nil, contentType: String? = nil,
        hasChecksum: Bool = false
    ) {
        self.name = name
        self.isFolder = isFolder
        self.size = size
        self.modifiedAt = modifiedAt
        self.storeID = storeID
        self.version = version
        self.digest = digest
        self.contentType = contentType
        self.hasChecksum = hasChecksum
    }

    /// The longest of the texts beside the name, in bytes: ids and checksums are shorter.
    package static let maxTextBytes = 1024

    /// Bytes that it takes in memory, about.
    package var weight: Int {
        let texts = [storeID, version, contentType].reduce(name.utf8.count) { $0 + ($1?.utf8.count ?? 0) }
        return MemoryLayout<DriveEntry>.stride + texts
    }
}
