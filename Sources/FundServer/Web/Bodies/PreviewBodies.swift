internal import FundCore

extension JSONWriter {
    /// A file or another item, with what is known of the previews of a file.
    mutating func field(_ item: LibraryItem, _ previews: [ContentDigest: PreviewSummary]) {
        field(item)
        if case .file(let file) = item { field(previews[file.digest], of: file.id, file.digest) }
    }

    /// A hit, the same way.
    mutating func field(_ hit: SearchHit, _ previews: [ContentDigest: PreviewSummary]) {
        field(hit)
        guard case .file(let id) = hit.item, let content = hit.content else { return }
        field(previews[content.digest], of: id, content.digest)
    }

    /// What is known of the previews of a file, as its member `preview`. Nothing for nil.
    mutating func field(_ preview: PreviewSummary?, of file: FileEntry.ID, _ digest: ContentDigest) {
        guard let preview else { return }
        key("preview")
        object { json in
            json.members(preview.members)
            json.key("url")
            json.plainText { url in
                url.append(contentsOf: "/api/v1/files/".utf8)
                url.append(contentsOf: String(file.rawValue).utf8)
                url.append(contentsOf: "/preview?v=".utf8)
                PreviewVersion.append(digest, to: &url)
            }
        }
    }
}
