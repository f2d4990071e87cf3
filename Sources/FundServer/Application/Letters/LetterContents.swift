internal import FundHTTP
internal import FundCore

/// Makes files of what a letter cannot hold as it is: folders, notes and mail. Nothing of them is kept unless the
/// letter is queued.
struct LetterContents {
    let parts: ApplicationParts
    let user: User.ID
    /// Limit of all files of a letter together.
    let maxBytes: Int64

    /// Bytes of a mail that are read at once.
    private static let pieceBytes: Int64 = 256 * 1024

    func content(of item: LetterItem) async throws -> LetterContent {
        let upload: StagedUpload
        var sources: [ContentDigest] = []
        switch item.item {
        case .folder:
            (upload, sources) = try await parts.zipFiles.upload(
                ZipSelection(fund: item.fund, items: [item.item]), named: item.name, atMost: maxBytes, of: user)
        case .note(let id):
            let note = try await parts.store.library.note(id, of: user)
            let parts = [note.text.title, note.text.content].filter { !$0.isEmpty }
            upload = try await self.upload(Array((parts.joined(separator: "\n\n") + "\n").utf8), item)
        case .email(let id):
            upload = try await mail(id, item)
            if item.contentType == "message/rfc822" {
                sources = try await parts.store.library.email(id, of: user).attachments.map(\.digest)
            }
        case .file, .fund:
            throw StoreError(.invalid, "make a file of a letter", "there is nothing to make of a \(item.item.kind)")
        }
        return LetterContent(name: item.name, upload: upload, sources: sources)
    }

    /// The message as it came, or its text where that is no longer kept.
    private func mail(_ id: EmailSummary.ID, _ item: LetterItem) async throws -> StagedUpload {
        let library = parts.store.library
        guard item.contentType == "message/rfc822" else {
            let email = try await library.email(id, of: user)
            return try await upload(Array(email.withPlainText { ZipStream.text(of: email, plainText: $0) }.utf8), item)
        }
        let raw = try await library.rawMessage(of: id, of: user)
        return try await BlockingThreads.run {
            let content = try library.content(of: raw.digest, size: raw.size)
            let upload = try library.makeUpload(named: item.name, announcing: raw.size)
            for start in stride(from: 0, to: raw.size, by: Int64.Stride(Self.pieceBytes)) {
                try content.read(start..<min(raw.size, start + Self.pieceBytes)) { try upload.append($0) }
            }
            return try upload.finish(contentType: item.contentType)
        }
    }

    private func upload(_ bytes: [UInt8], _ item: LetterItem) async throws -> StagedUpload {
        let library = parts.store.library
        return try await BlockingThreads.run {
            let upload = try library.makeUpload(named: item.name, announcing: Int64(bytes.count))
            try bytes.withUnsafeBytes { try upload.append($0) }
            return try upload.finish(contentType: item.contentType)
        }
    }
}
