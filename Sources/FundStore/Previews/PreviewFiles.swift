import FundCore
internal import Glibc

/// The files of renditions: `cache/renditions/ab/cdef…/thumb-1`, of the digest of the content. They need not survive a
/// power cut: a row has the digest of the bytes, and what does not match it counts as absent.
struct PreviewFiles: Sendable {
    /// A rendition is smaller, see the limits of converters.
    private static let maxBytes = 64 << 20
    /// Drafts lie beside the folders of contents, so that those that are left are found by one look.
    private static let draftPrefix = "new"

    let location: StoreLocation
    let owner: FileOwner?

    private func folder(of content: ContentDigest) -> String {
        let hex = content.hex
        return "\(location.renditions)/\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    private func path(of key: RenditionKey) -> String {
        "\(folder(of: key.content))/\(key.kind.rawValue)-\(key.page)"
    }

    /// Writes a file at once under its name, or not at all. Blocks. Throws `DiskError`.
    func write(_ bytes: [UInt8], as key: RenditionKey) throws(DiskError) {
        let folder = folder(of: key.content)
        let parent = String(folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)])
        for folder in [location.renditions, parent, folder] {
            try DiskDirectory.make(folder, isPrivate: true, owner: owner)
        }
        let draft = "\(location.renditions)/\(DiskDirectory.uniqueName(prefix: Self.draftPrefix))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskError("create", draft) }
        do throws(DiskError) {
            defer { close(descriptor) }
            try owner?.take(descriptor, path: draft)
            let isWritten = bytes.withUnsafeBytes { SystemCall.writeAll($0, to: descriptor, at: 0) }
            guard isWritten else { throw DiskError("write", draft) }
            guard rename(draft, path(of: key)) == 0 else { throw DiskError("rename", draft) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Bytes of a rendition; nil when they are missing or are not its own. Blocks.
    func read(_ rendition: Rendition) -> [UInt8]? {
        guard rendition.size <= Self.maxBytes,
            let bytes = try? WholeFile.read(path(of: rendition.key), maxBytes: rendition.size),
            ContentDigest.of(bytes) == rendition.digest
        else { return nil }
        return bytes
    }

    func remove(_ key: RenditionKey) { unlink(path(of: key)) }

    func remove(_ content: ContentDigest) { DiskFile.removeFolder(folder(of: content)) }

    /// Removes what a process left that was killed while it wrote. To be called by the only process that writes
    /// renditions, while it writes none.
    func removeDrafts() {
        for name in (try? DiskDirectory.names(in: location.renditions)) ?? []
        where name.hasPrefix(Self.draftPrefix + "-") {
            unlink("\(location.renditions)/\(name)")
        }
    }

    /// Removes all files, with or without a row, but for drafts, which belong to the process that writes them.
    func removeAll() {
        for name in (try? DiskDirectory.names(in: location.renditions)) ?? [] {
            let parent = "\(location.renditions)/\(name)"
            guard DiskFile.isFolder(parent) else { continue }
            for content in (try? DiskDirectory.names(in: parent)) ?? [] {
                DiskFile.removeFolder("\(parent)/\(content)")
            }
            rmdir(parent)
        }
    }
}
