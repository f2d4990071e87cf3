internal import Foundation

/// A new file that a run began to send. When it was killed before its row was written, the next run writes the row:
/// else the same file would be a new one on both sides once somebody renamed it.
struct SentFile: Codable, Sendable, Hashable {
    /// By which the server knows the place; nil for the top.
    var parentKind: SyncKind?
    var parentID: Int64?
    var name: String
    /// Of the bytes that were sent.
    var digest: Data
    /// Of the file at that moment.
    var fingerprint: Fingerprint

    init(named name: String, in parent: RemoteKey?, _ digest: Digest, _ fingerprint: Fingerprint) {
        (parentKind, parentID) = (parent?.kind, parent?.id)
        (self.name, self.digest, self.fingerprint) = (name, Data(digest.bytes), fingerprint)
    }

    var parent: RemoteKey? {
        guard let parentKind, let parentID else { return nil }
        return RemoteKey(kind: parentKind, id: parentID)
    }

    /// What the server has of it: the name that it was sent with, and its bytes. Nil when it did not arrive.
    func arrived(in places: any RemotePlaces) throws -> RemoteNode? {
        let children = try places.children(of: parent)
        while let node = try children() {
            guard node.name == name, node.kind.isFile else { continue }
            return node.digest?.bytes.elementsEqual(digest) ?? false ? node : nil
        }
        return nil
    }
}
