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
            switch preview.state {
            case .making: json.field("state", "making")
            case .ready: json.field("state", "ready")
            case .failed(let failure):
                json.field("state", "failed")
                json.field("reason", failure.rawValue)
            }
            if let info = preview.info {
                json.field("type", info.type.rawValue)
                if let count = info.pageCount { json.field("pages", count) }
                if let milliseconds = info.milliseconds { json.field("duration_ms", milliseconds) }
            }
            if let (width, height) = preview.proportions {
                json.field("width", width)
                json.field("height", height)
            }
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

extension PreviewSummary {
    /// Of the thumbnail in pixels, or of what it is made of.
    var proportions: (width: Int, height: Int)? {
        if let width, let height, width > 0, height > 0 { return (width, height) }
        guard let width = info?.width, let height = info?.height, width > 0, height > 0 else { return nil }
        return (width, height)
    }
}
