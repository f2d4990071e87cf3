internal import FundCore

extension JSONWriter {
    /// A file or another item, with what is known of the previews of a file.
    /// - Parameter previews: of the files among the items from this one on.
    mutating func field(_ item: LibraryItem, _ previews: inout IndexingIterator<[PreviewSummary]>) {
        guard case .file(let file) = item else { return field(item) }
        field("type", "file")
        field(file)
        field(previews.next(), of: file.id)
    }

    /// A hit, the same way.
    mutating func field(_ hit: SearchHit, _ previews: inout IndexingIterator<[PreviewSummary]>) {
        field(hit)
        guard hit.content != nil else { return }
        let preview = previews.next()
        if case .file(let id) = hit.item { field(preview, of: id) }
    }

    /// Writes the state of the previews of a file as its member `preview`; nothing for nil.
    mutating func field(_ preview: PreviewSummary?, of file: FileEntry.ID) {
        guard let preview else { return }
        field(written: preview.json.start, file.rawValue, preview.json.end)
    }
}
