internal import Foundation

/// A local file that is sent, as the plan saw it.
struct FileSource: Sendable {
    let path: String
    let fingerprint: Fingerprint
    let digest: Digest
    var meter = TransferMeter { _, _ in
    } add: { _ in
    }

    var size: Int64 { fingerprint.size }
    var modifiedAt: Date { Date(secondOf: fingerprint.modified) }

    /// Whether the file is what it was, as far as its status tells.
    var isUnchanged: Bool { (try? LocalFiles.status(path)).map { Fingerprint($0) == fingerprint } ?? false }

    /// The bytes on their way to the server.
    var bytes: UploadSource {
        UploadSource(path, size: size, modified: fingerprint.modified, digest: digest) { [fingerprint] in
            Fingerprint($0).isSameContent(as: fingerprint)
        }
    }
}
